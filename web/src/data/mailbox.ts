// The mail program of the demo: mailboxes of the people who write to us. It is another
// server's API than ours, hence the plain fetch.
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { offline, problem, understood } from "../api/client";

/** Somebody's mailbox. Who is not one of the people has only an address. */
export type Mailbox = { name: string; email: string; company: string; unread: number };
export type Mailboxes = {
  people: Mailbox[];
  /** Addresses that a new mail may be for, the likeliest first. */
  contacts: string[];
  /** Whether a mail can be one that its sender's domain disowns. */
  can_forge: boolean;
};
export type MailAddress = { name: string; email: string };
export type MailFile = { number: number; name: string; type: string; size: number };
export type MailBox = "inbox" | "sent";
export type MailThread = { id: number; subject: string; people: MailAddress[]; count: number; unread: number; files: boolean; at: string; snippet: string };
export type Mail = {
  id: number;
  box: MailBox;
  seen: boolean;
  from: MailAddress[];
  reply_to: MailAddress[];
  to: MailAddress[];
  cc: MailAddress[];
  subject: string;
  date: string;
  snippet: string;
  files: MailFile[];
};
export type AnswerKind = "reply" | "all" | "forward";
export type MailDraft = { from: string; to: string[]; cc: string[]; subject: string; text: string; kind: AnswerKind | ""; answers: number; quote: boolean; forged: boolean };

const root = "/mailbox";

async function call(path: string, init?: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(root + path, init);
  } catch (cause) {
    throw offline(cause);
  }
  if (!answer.ok) throw await understood(problem(answer, await answer.json().catch(() => null)));
  return answer;
}

async function read<T>(path: string, values: Record<string, string>, signal: AbortSignal): Promise<T> {
  return (await (await call(`${path}?${new URLSearchParams(values)}`, { signal })).json()) as T;
}

/** Everybody with a mailbox, or null on a server without this mail program: there the web app answers. */
export const mailboxesQuery = queryOptions({
  queryKey: ["mailbox", "people"],
  queryFn: async ({ signal }): Promise<Mailboxes | null> => {
    const answer = await call("/people", { signal });
    return answer.headers.get("Content-Type")?.startsWith("application/json") ? ((await answer.json()) as Mailboxes) : null;
  },
});

/** The threads with a mail in this box, the newest first. */
export const mailThreadsQuery = (owner: string, box: MailBox) =>
  queryOptions({
    queryKey: ["mailbox", "threads", owner, box],
    queryFn: async ({ signal }) => (await read<{ threads: MailThread[] }>("/threads", { owner, box }, signal)).threads,
  });

/** The mails of a thread, the oldest first. */
export const mailThreadQuery = (owner: string, id: number) =>
  queryOptions({
    queryKey: ["mailbox", "thread", owner, id],
    queryFn: async ({ signal }) => (await read<{ mails: Mail[] }>(`/threads/${id}`, { owner }, signal)).mails,
  });

/** How an answer begins: to whom, and about what. */
export const mailAnswerQuery = (owner: string, id: number, kind: AnswerKind) =>
  queryOptions({
    queryKey: ["mail-answer", owner, id, kind],
    queryFn: async ({ signal }) => (await read<{ draft: MailDraft }>(`/mails/${id}/answer`, { owner, kind }, signal)).draft,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const mailSourceQuery = (id: number) =>
  queryOptions({ queryKey: ["mail-source", id], queryFn: async ({ signal }) => await (await call(`/mails/${id}/source`, { signal })).text(), staleTime: Number.POSITIVE_INFINITY });

export async function readMails(owner: string, thread: number): Promise<void> {
  await call(`/threads/${thread}/read?${new URLSearchParams({ owner })}`, { method: "POST" });
}

export async function sendMail(draft: MailDraft, files: File[]): Promise<void> {
  const form = new FormData();
  form.set("draft", JSON.stringify(draft));
  for (const file of files) form.append("files", file);
  await call("/mails", { method: "POST", body: form });
}

/** The mail as a page, for a frame. */
export const mailPage = (id: number) => `${root}/mails/${id}/page`;

export const mailFile = (id: number, file: MailFile) => `${root}/mails/${id}/files/${file.number}`;

/** Follows the mailboxes as long as they are shown. The browser opens the stream again when it ends. */
export function useMailStream() {
  const client = useQueryClient();
  useEffect(() => {
    const stream = new EventSource(`${root}/stream`);
    stream.onmessage = () => void client.invalidateQueries({ queryKey: ["mailbox"] });
    return () => stream.close();
  }, [client]);
}
