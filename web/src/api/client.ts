// The one way to the server. Types come from the API document (schema.d.ts, made
// by `make types`), so a call that the document does not know does not compile.
import createClient, { type FetchResponse } from "openapi-fetch";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** Why there is no success: a sentence for a person, and what is wrong with which field. */
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
 * Ends all reads that are on their way, and every one that is begun from now on: whoever signs out would have them refused.
 * What changes something goes on. Gives the function that lets reads through again.
 */
export function stopReads(): () => void {
  stopped.abort();
  return () => {
    stopped = new AbortController();
  };
}

/** Whether a call only asks: a question that is too long for an address is sent. */
const asks = (request: Request) => request.method === "GET" || new URL(request.url).pathname.startsWith("/v1/rest/insights/query");

/** What to do when a call was refused, since perhaps the session is over: the app sets it, since only it knows the way to the sign-in. */
export type Session = {
  /** Whether it is over. */
  over: () => Promise<boolean>;
  /** Waits until there is one again. */
  again: () => Promise<void>;
};
let session: Session = { over: () => Promise.resolve(false), again: () => Promise.resolve() };
export function whenRefused(s: Session) {
  session = s;
}

const refuses = (status: number) => status === 401 || status === 403;

export const api = createClient<paths>({ baseUrl: "/", fetch: (request) => (asks(request) ? read(request) : fetch(request)) });

/**
 * A read that is refused since the session is over waits for the next one, and is asked again: whoever wants the answer need
 * not know. The session may be there by the time the refusal arrives, so a read is refused only if it was asked in one.
 */
async function read(request: Request): Promise<Response> {
  const signal = AbortSignal.any([request.signal, stopped.signal]);
  for (let inSession = false; ; ) {
    const answer = await fetch(request.clone(), { signal });
    if (inSession || !refuses(answer.status)) return answer;
    void answer.body?.cancel();
    inSession = !(await session.over());
    if (!inSession) await Promise.race([session.again(), ended(signal)]);
  }
}

/** Fails when the signal says so. */
const ended = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** Awaits a call of `api` and gives its data, or throws a Problem. */
export async function ask<T extends Record<string | number, any>, O, M extends `${string}/${string}`>(
  call: Promise<FetchResponse<T, O, M>>,
): Promise<NonNullable<FetchResponse<T, O, M>["data"]>> {
  let answer: FetchResponse<T, O, M>;
  try {
    answer = await call;
  } catch (cause) {
    throw offline(cause);
  }
  if (!answer.response.ok) throw await understood(problem(answer.response, answer.error));
  return answer.data as NonNullable<FetchResponse<T, O, M>["data"]>;
}

/** What fetch throws when there is no answer at all. */
export function offline(cause: unknown): unknown {
  if (cause instanceof TypeError) return new Problem("Frontdesk does not answer. Are you online?", 0);
  return cause;
}

/** Makes an answer that is no success into a Problem. */
export function problem(response: { status: number; headers?: Headers }, body: unknown): Problem {
  const said = (body ?? {}) as { message?: unknown; errors?: { field: string; message: string }[] };
  const fields: Record<string, string> = {};
  for (const e of said.errors ?? []) fields[e.field] ??= e.message;
  const after = response.headers?.get("Retry-After") ?? null;
  return new Problem(typeof said.message === "string" ? said.message : `The server answered ${response.status}.`, response.status, fields, after === null ? null : Number(after));
}

/** Who has no session is told so by the status 401. The API says 403 and speaks of tokens, which are no matter of this app. */
export async function understood(problem: Problem): Promise<Problem> {
  return refuses(problem.status) && (await session.over()) ? new Problem("You are signed out. Sign in to go on.", 401) : problem;
}

/** The sentence to show for anything that was thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
