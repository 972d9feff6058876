// Announcements: chat messages that are copied into channels, with their delivery and reactions.
import { type QueryClient, infiniteQueryOptions, keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Problem, type Schemas, api, ask } from "../api/client";
import { keepRow, keptRow } from "./browser";
import { follow } from "./live";
import type { Collection } from "./collections";

export type Announcement = Schemas["Announcement"];
export type ListedAnnouncement = Schemas["ListedAnnouncement"];
export type AnnouncementStatus = Schemas["AnnouncementStatus"];
export type NewAnnouncement = Schemas["NewAnnouncement"];
export type SourceMessage = Schemas["SourceMessage"];
export type Engagement = Schemas["EngagementAnswer"]["announcement"];

export type AnnouncementDraft = Schemas["AnnouncementDraft"];
export type AnnouncementSender = Schemas["AnnouncementSender"];
export type AnnouncementPreview = Schemas["AnnouncementPreview"];
type SenderKind = NonNullable<AnnouncementSender["type"]>;

/** What somebody has begun to announce, kept in this browser until it is sent or thrown away. */
export type Begun = { html: string; name: string | null; to: string[]; sender: SenderKind; person: string | null; unfurl: boolean };

/** What was begun; null when there is nothing. */
export function begunAnnouncement(): Begun | null {
  const kept = keptRow<Partial<Begun>>("announcement");
  if (!kept || typeof kept.html !== "string") return null;
  return { html: kept.html, name: kept.name ?? null, to: kept.to ?? [], sender: kept.sender ?? "native", person: kept.person ?? null, unfurl: kept.unfurl ?? false };
}

export const keepAnnouncement = (begun: Begun | null) => keepRow("announcement", begun);

/** How often to poll while copies are being sent: there is no event for each copy. */
const lookEvery = 1000;

export const announcementsQuery = (status: AnnouncementStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: ["announcements", status ?? "all"],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) =>
      await ask(api.GET("/v1/rest/announcements", { params: { query: { limit: 50, ...(status && { status }), ...(pageParam !== null && { next_cursor: pageParam }) } }, signal })),
    getNextPageParam: (last) => last.response_metadata.next_cursor,
    staleTime: 0,
  });

/** One announcement. It is polled only while it is being sent, because every read leaves an entry in the audit log. */
export const announcementQuery = (id: number) =>
  queryOptions({
    queryKey: ["announcement", id],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/announcements/{id}", { params: { path: { id } }, signal }))).announcement,
    refetchInterval: (query) => (query.state.data?.status === "pending" ? lookEvery : false),
  });

/** Reactions and replies to an announcement that was sent. */
export const engagementQuery = (id: number) =>
  queryOptions({
    queryKey: ["announcement", id, "engagement"],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/announcements/{id}/metrics", { params: { path: { id } }, signal }))).announcement,
  });

/** The message of a link. */
export const linkedMessageQuery = (link: string) =>
  queryOptions({
    queryKey: ["source-message", link],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/announcements/message", { params: { query: { link } }, signal }))).message,
    retry: (failures, error) => failures < 2 && !(error instanceof Problem),
  });

/** One of the copies. */
export const copyQuery = (channel_id: string, message_ts: string) =>
  queryOptions({
    queryKey: ["source-message", channel_id, message_ts],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/announcements/message", { params: { query: { channel_id, message_ts } }, signal }))).message,
    retry: (failures, error) => failures < 2 && !(error instanceof Problem),
  });

/** What an announcement would look like in a channel. Without a text, only who would send it there. */
export const previewQuery = (draft: AnnouncementDraft) =>
  queryOptions({
    queryKey: ["announcement-preview", draft],
    queryFn: async ({ signal }) => (await ask(api.POST("/v1/rest/announcements/preview", { body: draft, signal }))).preview,
    placeholderData: keepPreviousData,
    retry: (failures, error) => failures < 2 && !(error instanceof Problem),
  });

/** Sends the caller what it would look like. */
export function useTest() {
  return useMutation({ mutationFn: (draft: AnnouncementDraft) => ask(api.POST("/v1/rest/announcements/test", { body: draft })) });
}

/** The newest messages of a channel. */
export const newestMessagesQuery = (channel_id: string) =>
  queryOptions({
    queryKey: ["source-messages", channel_id],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/announcements/messages", { params: { query: { channel_id, limit: 20 } }, signal }))).messages,
    staleTime: 0,
  });

/** The channels that the chosen recipients currently include, each once. */
export function channelsOf(chosen: { collections: number[]; channels: string[] }, places: Collection[]): Set<string> {
  const all = new Set(chosen.channels);
  for (const p of places) if (chosen.collections.includes(p.id)) for (const c of p.channels ?? []) if (c.status === "active") all.add(c.id);
  return all;
}

export async function announce(client: QueryClient, body: NewAnnouncement): Promise<number> {
  const { announcement } = await ask(api.POST("/v1/rest/announcements", { body }));
  await client.invalidateQueries({ queryKey: ["announcements"] });
  return announcement.id;
}

/** Cancels one that is scheduled. */
export async function cancelAnnouncement(client: QueryClient, id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/announcements/{id}", { params: { path: { id } } }));
  await client.invalidateQueries({ queryKey: ["announcements"] });
}

/** Tries the channels again where it failed. */
export function useRetry(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => ask(api.POST("/v1/rest/announcements/{id}/retry", { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ["announcement", id] }),
  });
}

/** Updates the copies to the current text of the message or, of a written one, to a new text. */
export function useResync(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (html_body: string | null) => ask(api.POST("/v1/rest/announcements/{id}/resync", { params: { path: { id } }, ...(html_body !== null && { body: { html_body } }) })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["announcement", id], exact: true }),
  });
}

/** Looks again when one has been sent. */
export function useAnnouncementEvents() {
  useEffect(
    () =>
      follow((events, client) => {
        if (!events.some((e) => e.type === "announcement.sent")) return;
        void client.invalidateQueries({ queryKey: ["announcements"] });
        void client.invalidateQueries({ queryKey: ["announcement"] });
      }),
    [],
  );
}
