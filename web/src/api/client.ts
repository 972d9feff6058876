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

export const api = createClient<paths>({
  baseUrl: "/",
  fetch: (request) => fetch(request, asks(request) ? { signal: AbortSignal.any([request.signal, stopped.signal]) } : undefined),
});

/** What to do when a call was refused: perhaps the session is over, and it says whether that is so. The app sets it, since only it knows the way to the sign-in. */
let onRefused: () => Promise<boolean> = () => Promise.resolve(false);
export function whenRefused(look: () => Promise<boolean>) {
  onRefused = look;
}

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
  const refused = problem.status === 401 || problem.status === 403;
  return refused && (await onRefused()) ? new Problem("You are signed out. Sign in to go on.", 401) : problem;
}

/** The sentence to show for anything that was thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
