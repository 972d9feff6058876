// What one is told: how much of it is unread, the list, and what the browser shows of it while nobody looks.
import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { follow, whenLeftBehind } from "./live";
import { prefer, preferences } from "./preferences";

export type Notification = Schemas["Notification"];
export type NotificationCount = Schemas["NotificationCount"];

export const notificationCountQuery = queryOptions({
  queryKey: ["notification-count"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/notifications/count", { signal }))).count,
  staleTime: Number.POSITIVE_INFINITY, // the stream tells
});

export const notificationsQuery = infiniteQueryOptions({
  queryKey: ["notifications"],
  queryFn: ({ pageParam, signal }) => ask(api.GET("/v1/rest/notifications", { params: { query: { limit: 50, ...(pageParam && { next_cursor: pageParam }) } }, signal })),
  initialPageParam: "",
  getNextPageParam: (page) => page.response_metadata.next_cursor,
});

const again = () => Promise.all([queryClient.invalidateQueries({ queryKey: notificationCountQuery.queryKey }), queryClient.invalidateQueries({ queryKey: notificationsQuery.queryKey })]);

/** Draws some notifications as read or unread before the server has answered. */
function draw(change: (n: Notification) => Notification) {
  const before = queryClient.getQueryData(notificationsQuery.queryKey);
  queryClient.setQueryData(notificationsQuery.queryKey, (list) => list && { ...list, pages: list.pages.map((p) => ({ ...p, notifications: p.notifications.map(change) })) });
  return () => queryClient.setQueryData(notificationsQuery.queryKey, before);
}

/** Marks notifications as read or unread. */
export async function markNotifications(ids: readonly number[], read: boolean): Promise<void> {
  const takeBack = draw((n) => (ids.includes(n.id) ? { ...n, read_at: read ? (n.read_at ?? new Date().toISOString()) : null } : n));
  try {
    await Promise.all(ids.map((id) => ask(api.PATCH("/v1/rest/notifications/{id}", { params: { path: { id } }, body: { read } }))));
  } catch (error) {
    takeBack();
    throw error;
  } finally {
    void again();
  }
}

/** Marks all notifications as read that somebody has seen here. */
export async function readAllNotifications(newest: number): Promise<void> {
  const takeBack = draw((n) => (n.id <= newest ? { ...n, read_at: n.read_at ?? new Date().toISOString() } : n));
  try {
    await ask(api.POST("/v1/rest/notifications/read", { body: { up_to: newest } }));
  } catch (error) {
    takeBack();
    throw error;
  } finally {
    void again();
  }
}

/** Sends oneself a message, to see whether it arrives. */
export async function testNotification(way: "chat" | "email"): Promise<void> {
  await ask(api.POST("/v1/rest/notifications/test", { body: { way } }));
}

const due: Record<string, MessageDescriptor> = { first_response: msg`The first response is due soon`, resolution: msg`The resolution is due soon`, one_touch: msg`The reply limit is almost reached` };
const missed: Record<string, MessageDescriptor> = { first_response: msg`The first response was missed`, resolution: msg`The resolution was missed`, one_touch: msg`The reply limit was exceeded` };

/** What a notification says. */
export function wordsOf(n: Notification): string {
  const who = n.by ?? t`Someone`;
  const kind = n.sla?.kind ?? "";
  switch (n.kind) {
    case "mention":
      return n.is_private ? t`${who} mentioned you in a note` : t`${who} mentioned you`;
    case "assigned":
      return t`${who} assigned you this request`;
    case "team_assigned":
      return t`${who} assigned this request to your team`;
    case "answer":
      return t`${who} answered`;
    case "sla_due":
      return i18n._(due[kind] ?? msg`An SLA is due soon`);
    case "sla_breached":
      return i18n._(missed[kind] ?? msg`An SLA was missed`);
  }
}

/** The address of what a notification is about: the message, or its request. */
export const addressOf = (n: Notification) => `/requests/${n.request.id}${n.message_id === null ? "" : `#message-${n.message_id}`}`;

/** Follows one's notifications as long as the app is there. `open` opens an address of the app. */
export function followNotifications(open: (address: string) => void): () => void {
  const stop = follow((events) => {
    const news = events.findLast((e) => e.type === "notifications.changed");
    if (news?.type !== "notifications.changed") return;
    const before = queryClient.getQueryData(notificationCountQuery.queryKey);
    const count = news.data.notifications;
    queryClient.setQueryData(notificationCountQuery.queryKey, count);
    void again(); // an answer that is on its way may be from before
    if (count.newest && before && count.newest.id > (before.newest?.id ?? 0) && count.unread > before.unread) alertOf(count.newest, open);
  });
  const back = whenLeftBehind(() => void again());
  return () => {
    stop();
    back();
  };
}

/** Whether this browser can show notifications at all. */
export const canAlert = () => "Notification" in window;

/** Shows a notification of the browser, if somebody wants that and does not look here. */
function alertOf(n: Notification, open: (address: string) => void) {
  if (!canAlert() || !preferences().alerts || window.Notification.permission !== "granted" || document.visibilityState !== "hidden") return;
  // Every tab hears of it, and those with the same tag are one.
  const shown = new window.Notification(wordsOf(n), { body: n.excerpt || n.request.title, tag: `frontdesk-${n.id}`, icon: "/icon.svg" });
  shown.onclick = () => {
    window.focus();
    open(addressOf(n));
    shown.close();
  };
}

/** Switches notifications of this browser on or off. It asks the browser, and says whether they are on now. */
export async function setAlerts(on: boolean): Promise<boolean> {
  const allowed = on && canAlert() && (await window.Notification.requestPermission()) === "granted";
  prefer({ alerts: allowed });
  return allowed;
}
