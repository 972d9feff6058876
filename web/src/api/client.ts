// The one way to the server. Types come from the API document (schema.d.ts, made
// by `make types`), so a call that the document does not know does not compile.
import { t } from "@lingui/core/macro";
import createClient, { type FetchResponse } from "openapi-fetch";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** A failed call: a sentence to show, and the messages for single fields. */
export class Problem extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly fields: Record<string, string> = {},
    readonly retryAfter: number | null = null,
  ) {
    super(message);
    this.name = "Problem";
  }
}

let stopped = new AbortController();

/**
 * Aborts all running and future reads, because they would be refused after signing out. Writes go on.
 * Returns a function that allows reads again.
 */
export function stopReads(): () => void {
  stopped.abort();
  return () => {
    stopped = new AbortController();
  };
}

/** Whether a call only reads. An insights query or the text of a preview is a POST because it is too long for a URL. */
const asks = (request: Request) => request.method === "GET" || /^\/v1\/rest\/(insights\/query|announcements\/preview$)/.test(new URL(request.url).pathname);

/** Handles a refused call, which may mean that the session is over. main.tsx sets it, because only the app can show the sign-in. */
export type Session = {
  /** Whether the session is over. */
  over: () => Promise<boolean>;
  /** Waits until somebody has signed in again. */
  again: () => Promise<void>;
};
let session: Session = { over: () => Promise.resolve(false), again: () => Promise.resolve() };
export function whenRefused(s: Session) {
  session = s;
}

const refuses = (status: number) => status === 401 || status === 403;

export const api = createClient<paths>({ baseUrl: "/", fetch: (request) => (asks(request) ? read(request) : fetch(request)) });

/**
 * A read that fails because the session is over waits for the next session and is repeated, so callers do not notice.
 * Somebody may have signed in before the refusal arrives, so a refusal only counts when the read was sent during a session.
 */
async function read(request: Request): Promise<Response> {
  const signal = AbortSignal.any([request.signal, stopped.signal]);
  for (let inSession = false; ;) {
    const answer = await fetch(request.clone(), { signal });
    if (inSession || !refuses(answer.status)) return answer;
    void answer.body?.cancel();
    inSession = !(await session.over());
    if (!inSession) await Promise.race([session.again(), ended(signal)]);
  }
}

/** Rejects when the signal aborts. */
const ended = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** Awaits a call of `api` and returns its data, or throws a Problem. */
export async function ask<T extends Record<string | number, any>, O, M extends `${string}/${string}`>(call: Promise<FetchResponse<T, O, M>>): Promise<NonNullable<FetchResponse<T, O, M>["data"]>> {
  let answer: FetchResponse<T, O, M>;
  try {
    answer = await call;
  } catch (cause) {
    throw offline(cause);
  }
  if (!answer.response.ok) throw await understood(problem(answer.response, answer.error));
  return answer.data as NonNullable<FetchResponse<T, O, M>["data"]>;
}

/** Turns the TypeError that fetch throws without a connection into a Problem. */
export function offline(cause: unknown): unknown {
  if (cause instanceof TypeError) return new Problem(t`Frontdesk is not responding. Check your connection.`, 0);
  return cause;
}

/** Turns an error response into a Problem. */
export function problem(response: { status: number; headers?: Headers }, body: unknown): Problem {
  const said = (body ?? {}) as { message?: unknown; errors?: { field: string; message: string }[] };
  const fields: Record<string, string> = {};
  for (const e of said.errors ?? []) fields[e.field] ??= e.message;
  const after = response.headers?.get("Retry-After") ?? null;
  const { status } = response;
  return new Problem(typeof said.message === "string" ? said.message : t`The server returned an error (${status}).`, status, fields, after === null ? null : Number(after));
}

/** Reports a missing session as 401. The API answers 403 with a message about tokens, which would confuse people here. */
export async function understood(problem: Problem): Promise<Problem> {
  return refuses(problem.status) && (await session.over()) ? new Problem(t`You are signed out. Sign in to continue.`, 401) : problem;
}

/** The sentence to show for anything that was thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
