// What is said in a request: sending it, and what waits to be sent. The server
// keeps what waits, so that a closed tab still sends; what is on its way to the
// server is kept here.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { Problem, type Schemas, api, ask } from "../api/client";
import { requestQuery } from "./requests";

export type WaitingMessage = Schemas["WaitingMessage"];
export type Attachment = Schemas["Attachment"];
export type Mode = "reply" | "note";

/** What is allowed in one message. */
export const mostFiles = 5;
export const mostBytes = 104_857_600;

export type NewMessage = {
  requestId: number;
  html: string;
  mode: Mode;
  files: File[];
  /** Files that the server has already, of a message that was taken back. */
  kept: WaitingMessage["attachments"];
  /** The state that the request gets with it. */
  state: Schemas["RequestState"] | null;
  delaySeconds: number;
};

/** Messages that wait until they can no longer be taken back, and those that could not be sent. */
export const waitingQuery = (requestId: number) =>
  queryOptions({
    queryKey: ["waiting", requestId],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/requests/{id}/waiting-messages", { params: { path: { id: requestId } }, signal }))).waiting_messages,
    staleTime: 0,
  });

/** Takes back what waits: the server forgets it, and says what it was. */
export async function takeBack(client: QueryClient, requestId: number, id: number): Promise<WaitingMessage> {
  const { waiting_message } = await ask(api.DELETE("/v1/rest/requests/{id}/waiting-messages/{message}", { params: { path: { id: requestId, message: id } } }));
  client.setQueryData<WaitingMessage[]>(waitingQuery(requestId).queryKey, (all) => all?.filter((m) => m.id !== id));
  return waiting_message;
}

/** A message on its way to the server. */
export type Sending = NewMessage & { key: number; once: string; progress: number; error: string | null };

let sending: Sending[] = [];
let keys = 0;
const listeners = new Set<() => void>();

function change(next: Sending[]) {
  sending = next;
  for (const l of listeners) l();
}

function update(key: number, now: Partial<Sending>) {
  change(sending.map((s) => (s.key === key ? { ...s, ...now } : s)));
}

// Until the server has it, it is nowhere else.
window.addEventListener("beforeunload", (e) => {
  if (sending.length > 0) e.preventDefault();
});

/** Forgets a message that could not be sent. */
export function forget(key: number) {
  change(sending.filter((s) => s.key !== key));
}

/** All that is on its way, of every request. */
export function useSending(): Sending[] {
  return useSyncExternalStore(
    (l) => {
      listeners.add(l);
      return () => listeners.delete(l);
    },
    () => sending,
  );
}

/**
 * Sends a message. Gives what waits, if it waits; null when it was sent at once or not at all: then it stays among what is on its
 * way, with its error. Tried again, it has the same `once`: an answer that was lost on the way does not make it two.
 */
export async function send(client: QueryClient, message: NewMessage & { once?: string }): Promise<WaitingMessage | null> {
  const key = ++keys;
  const once = message.once ?? randomKey();
  change([...sending, { ...message, key, once, progress: 0, error: null }]);
  try {
    const waiting = await post(message, once, (progress) => update(key, { progress }));
    if (waiting) {
      await client.cancelQueries({ queryKey: waitingQuery(message.requestId).queryKey });
      client.setQueryData<WaitingMessage[]>(waitingQuery(message.requestId).queryKey, (all) => [...(all ?? []).filter((m) => m.id !== waiting.id), waiting]);
    } else {
      await client.invalidateQueries({ queryKey: requestQuery(message.requestId).queryKey });
      void client.invalidateQueries({ queryKey: ["history", message.requestId] });
    }
    forget(key);
    return waiting;
  } catch (error) {
    update(key, { error: error instanceof Error ? error.message : String(error) });
    return null;
  }
}

/** The one call that is not by fetch, which cannot say how far it is. */
function post(message: NewMessage, once: string, onProgress: (share: number) => void): Promise<WaitingMessage | null> {
  const form = new FormData();
  if (message.html !== "") form.set("html_body", message.html);
  form.set("is_private", String(message.mode === "note"));
  if (message.state) form.set("state", message.state);
  if (message.delaySeconds > 0) form.set("delay_seconds", String(message.delaySeconds));
  if (message.kept.length > 0) form.set("attachment_ids", message.kept.map((a) => a.id).join(","));
  for (const f of message.files) form.append("attachments", f, f.name);
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("POST", `/v1/rest/requests/${message.requestId}/message`);
    call.setRequestHeader("Idempotency-Key", once);
    call.responseType = "json";
    call.upload.onprogress = (e) => e.lengthComputable && onProgress(e.loaded / e.total);
    call.onload = () => {
      const said = call.response as { waiting_message?: WaitingMessage; message?: unknown } | null;
      if (call.status === 202 && said?.waiting_message) resolve(said.waiting_message);
      else if (call.status >= 200 && call.status < 300) resolve(null);
      else reject(new Problem(typeof said?.message === "string" ? said.message : `The server answered ${call.status}.`, call.status));
    };
    call.onerror = () => reject(new Problem("Frontdesk does not answer. Are you online?", 0));
    call.send(form);
  });
}

/** Something that nobody else has thought of. randomUUID is not there on a page without https. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}
