// Messages of a request: sending them, and those that wait to be sent. The server
// holds waiting messages, so they are sent even if the tab is closed. A message that
// the server does not have yet is stored in this browser.
import { t } from "@lingui/core/macro";
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { Problem, type Schemas, api, ask, problem, sentence, understood } from "../api/client";
import { type KeptFile, forgetFiles, keepRow, keptFiles, keptRow, keptRows, namesOf, randomKey, sweepFiles, whenForgotten } from "./browser";
import { type Mode, type WaitingMessage, filesOfDrafts } from "./drafts";
import { requestQuery } from "./requests";

export type { Mode, WaitingMessage };
export type Attachment = Schemas["Attachment"];

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
  /** The newest message that its author has seen. If somebody else has answered since, it is refused. 0: whatever came. */
  seen: number;
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

/** A message on its way to the server. Until it is there, it is a row of this browser. */
export type Sending = NewMessage & {
  once: string;
  progress: number;
  error: string | null;
  /** It was refused because nobody is signed in: it goes out when somebody is. */
  waitsForSignIn: boolean;
  /** It was refused because of an answer that its author has not seen. */
  overtaken: boolean;
  /** Names of files that the browser did not keep. */
  lost: string[];
  /** Whether it would be there after the page was closed. */
  isKept: boolean;
};

type Row = Omit<NewMessage, "files"> & { files: KeptFile[]; error: string | null; overtaken?: boolean };

let sending: Sending[] = [];
const listeners = new Set<() => void>();

function change(next: Sending[]) {
  sending = next;
  for (const l of listeners) l();
}

function update(once: string, now: Partial<Sending>) {
  change(sending.map((s) => (s.once === once ? { ...s, ...now } : s)));
}

const rowOf = (once: string) => `unsent.${once}`;

function keep({ requestId, html, mode, files, kept, state, delaySeconds, seen }: NewMessage, once: string, error: string | null, overtaken = false): boolean {
  const row: Row = { requestId, html, mode, files: namesOf(files), kept, state, delaySeconds, seen, error, overtaken };
  return keepRow(rowOf(once), row);
}

// A message that failed is stored, so the page may close. One that is still being sent would have to be resent by hand.
window.addEventListener("beforeunload", (e) => {
  if (sending.some((s) => s.error === null || !s.isKept)) e.preventDefault();
});

/** Removes an unsent message, because it is being edited again. Its files stay. */
export function takeOut(once: string) {
  keepRow(rowOf(once), null);
  change(sending.filter((s) => s.once !== once));
}

/** Throws a message away that could not be sent. */
export function discard(once: string) {
  forgetFiles(sending.find((s) => s.once === once)?.files ?? []);
  takeOut(once);
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
 * Restores the unsent messages that this browser stored before the page was closed or reloaded, and returns them.
 * Files that nothing refers to are deleted.
 */
export async function bringBackUnsent(): Promise<Sending[]> {
  const found: Sending[] = [];
  const files = filesOfDrafts();
  for (const once of keptRows("unsent.")) {
    const row = keptRow<Row>(rowOf(once));
    if (!row) continue;
    files.push(...row.files);
    if (sending.some((s) => s.once === once)) continue;
    const { files: there, lost } = await keptFiles(row.files);
    found.push({
      ...row,
      files: there,
      lost,
      once,
      progress: 0,
      error: row.error ?? t`The page was closed before it was sent.`,
      waitsForSignIn: false,
      overtaken: row.overtaken ?? false,
      isKept: true,
    });
  }
  change([...sending, ...found.filter((f) => !sending.some((s) => s.once === f.once))]);
  await sweepFiles(files);
  return found;
}

/** Follows what other windows send or throw away. */
export function followUnsent(): () => void {
  return whenForgotten((row) => change(sending.filter((s) => s.error === null || rowOf(s.once) !== row)));
}

/** Sends a message. Returns it when it waits on the server; null when it was sent immediately, or failed. A failed one stays unsent, with its error. */
export function send(client: QueryClient, message: NewMessage): Promise<WaitingMessage | null> {
  const once = randomKey();
  const isKept = keep(message, once, null);
  change([...sending, { ...message, once, progress: 0, error: null, waitsForSignIn: false, overtaken: false, lost: [], isKept }]);
  return transmit(client, message, once);
}

/** Retries an unsent message with the same idempotency key, so that a lost answer does not post it twice. */
export async function sendAgain(client: QueryClient, once: string): Promise<WaitingMessage | null> {
  const message = sending.find((s) => s.once === once);
  if (!message || message.error === null) return null;
  update(once, { error: null, progress: 0, waitsForSignIn: false });
  return transmit(client, message, once);
}

/** Sends a message although somebody else has answered, up to the message `seen`. It is another call: the first was answered. */
export function sendAnyway(client: QueryClient, once: string, seen: number) {
  const message = sending.find((s) => s.once === once);
  if (!message) return;
  takeOut(once);
  void send(client, { ...message, seen });
}

/** Sends what was refused because nobody was signed in. */
export function sendRefused(client: QueryClient) {
  for (const s of sending.filter((s) => s.waitsForSignIn)) void sendAgain(client, s.once);
}

async function transmit(client: QueryClient, message: NewMessage, once: string): Promise<WaitingMessage | null> {
  try {
    const waiting = await post(message, once, (progress) => update(once, { progress }));
    if (waiting) {
      await client.cancelQueries({ queryKey: waitingQuery(message.requestId).queryKey });
      client.setQueryData<WaitingMessage[]>(waitingQuery(message.requestId).queryKey, (all) => [...(all ?? []).filter((m) => m.id !== waiting.id), waiting]);
    } else {
      keepRow(rowOf(once), null); // the server has it, whatever becomes of the page
      await client.invalidateQueries({ queryKey: requestQuery(message.requestId).queryKey });
      void client.invalidateQueries({ queryKey: ["history", message.requestId] });
    }
    discard(once);
    return waiting;
  } catch (error) {
    const signedOut = error instanceof Problem && error.status === 401;
    const overtaken = error instanceof Problem && error.status === 409 && "seen_message_id" in error.fields;
    const why = signedOut ? t`You are signed out. It will be sent when you sign in.` : sentence(error);
    update(once, { error: why, waitsForSignIn: signedOut, overtaken, isKept: keep(message, once, signedOut ? t`You were signed out.` : why, overtaken) });
    if (overtaken) void client.invalidateQueries({ queryKey: requestQuery(message.requestId).queryKey });
    return null;
  }
}

/** The only call without fetch, because fetch cannot report upload progress. */
function post(message: NewMessage, once: string, onProgress: (share: number) => void): Promise<WaitingMessage | null> {
  const form = new FormData();
  if (message.html !== "") form.set("html_body", message.html);
  form.set("is_private", String(message.mode === "note"));
  if (message.state) form.set("state", message.state);
  if (message.delaySeconds > 0) form.set("delay_seconds", String(message.delaySeconds));
  if (message.seen > 0) form.set("seen_message_id", String(message.seen));
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
      else void understood(problem(call, said)).then(reject);
    };
    call.onerror = () => reject(new Problem(t`Frontdesk is not responding. Check your connection.`, 0));
    call.send(form);
  });
}
