// The event stream: the server reports changes, and the affected data is read again.
// Screens register here for the events they care about.
import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { Schemas } from "../api/client";

/** A private note or an unverified mail came. It is in no feed, and says only which message of which request. */
type NoteEvent = Omit<Schemas["MessageEvent"], "type"> & { type: "note.created" };

/** Who else is at a request has changed. It is in no feed either, and has no id. */
type PresenceEvent = { type: "presence.changed"; data: { presence: Schemas["Presence"] } };

/** How many notifications are unread has changed. Neither is it. */
type NotificationEvent = { type: "notifications.changed"; data: { notifications: Schemas["NotificationCount"] } };

export type Event = Schemas["Event"] | NoteEvent | PresenceEvent | NotificationEvent;
export type EventType = Event["type"];

type Follower = (events: Event[], client: QueryClient) => void;

const followers = new Set<Follower>();

/** Calls f with batches of events. Returns a function that stops it. */
export function follow(f: Follower): () => void {
  followers.add(f);
  return () => followers.delete(f);
}

const left = new Set<() => void>();

/** Calls f when events may have been missed. Returns a function that stops it. */
export function whenLeftBehind(f: () => void): () => void {
  left.add(f);
  return () => left.delete(f);
}

/** Whether what is shown is up to date: false while the stream is lost. */
let connected = true;
const listeners = new Set<() => void>();
export function useConnected(): boolean {
  return useSyncExternalStore(
    (l) => {
      listeners.add(l);
      return () => listeners.delete(l);
    },
    () => connected,
  );
}

function setConnected(now: boolean) {
  if (now === connected) return;
  connected = now;
  for (const l of listeners) l();
}

// Every type must be listed, because EventSource needs a listener for each.
const types: Record<EventType, true> = {
  "account.updated": true,
  "member.created": true,
  "member.updated": true,
  "member.deleted": true,
  "request.created": true,
  "request.updated": true,
  "message.created": true,
  "note.created": true,
  "presence.changed": true,
  "notifications.changed": true,
  "ticket.created": true,
  "ticket.linked": true,
  "sla.breached": true,
  "customer.created": true,
  "customer.updated": true,
  "announcement.sent": true,
  "csat.received": true,
  "email.sent": true,
  "email.failed": true,
};

// An import or a busy minute brings hundreds of events, so they are handled in batches.
const batchTime = 120;
// A shorter break is not shown: the browser reconnects on its own.
const patience = 4000;

/** Opens the stream anew, without waiting until it is tried again. */
export let reconnect = () => {};

/** Ends the stream until it is opened anew. */
export let disconnect = () => {};

let stop: (() => void) | null = null;

/**
 * Follows the account's events as long as the app is there. It may be started before anything is read: then nothing needs
 * to be read again once the stream is open.
 */
export function startLive(client: QueryClient): () => void {
  return (stop ??= begin(client));
}

function begin(client: QueryClient): () => void {
  let source: EventSource | null = null;
  let opened: EventSource | null = null;
  let last = "";
  let batch: Event[] = [];
  let flushing: number | undefined;
  let lost: number | undefined;
  let again: number | undefined;
  let wait = 1000;

  const flush = () => {
    flushing = undefined;
    const events = batch;
    batch = [];
    for (const f of followers) f(events, client);
  };
  const onEvent = (e: MessageEvent<string>) => {
    last = e.lastEventId;
    batch.push(JSON.parse(e.data) as Event);
    flushing ??= window.setTimeout(flush, batchTime);
  };
  const open = () => {
    source = new EventSource(`/v1/rest/events/stream${last && `?after=${encodeURIComponent(last)}`}`);
    for (const type of Object.keys(types)) source.addEventListener(type, onEvent);
    source.onopen = () => {
      // Data that was read before the stream opened may have changed without an event. After a break, the stream
      // continues behind the last event, so this is only needed when no event has been seen.
      if (opened === null || (opened !== source && last === "")) void readAgain(client);
      opened = source;
      wait = 1000;
      window.clearTimeout(lost);
      lost = undefined;
      setConnected(true);
    };
    source.onerror = () => {
      lost ??= window.setTimeout(() => setConnected(false), patience);
      // The browser reopens a broken connection, but not one that the server refused.
      if (source?.readyState === EventSource.CLOSED) {
        again = window.setTimeout(open, wait);
        wait = Math.min(wait * 2, 30_000);
      }
    };
  };
  disconnect = () => {
    source?.close();
    for (const t of [lost, again]) window.clearTimeout(t);
    lost = undefined;
  };
  // When the network changes, an old connection may stay open and silent. Only a new one shows whether there is a connection.
  reconnect = () => {
    disconnect();
    open();
  };
  const onOnline = () => reconnect();
  const onOffline = () => {
    setConnected(false);
    reconnect();
  };
  window.addEventListener("offline", onOffline);
  window.addEventListener("online", onOnline);
  open();
  return () => {
    stop = null;
    disconnect();
    window.clearTimeout(flushing);
    window.removeEventListener("offline", onOffline);
    window.removeEventListener("online", onOnline);
  };
}

/**
 * Reads again what was read before. An answer that is on its way for the first time may be from before, too, and asking
 * again would give the same one: it is waited for.
 */
async function readAgain(client: QueryClient) {
  const first = client.getQueryCache().findAll({ fetchStatus: "fetching", predicate: (q) => q.state.dataUpdatedAt === 0 });
  await Promise.allSettled(first.map((q) => q.promise));
  void client.invalidateQueries({ predicate: (q) => q.queryKey[0] === "request" && q.state.dataUpdatedAt > 0 });
  for (const f of left) f();
}
