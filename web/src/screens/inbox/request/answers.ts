// Answers that came while somebody was writing another.
import type { Me } from "../../../data/me";
import type { Message, Request } from "../../../data/requests";

/** The newest message of a request that is known here; 0 if there is none. The newest is the one that was added last, whenever it was said. */
export const newestOf = (request: Request): number => (request.messages ?? []).reduce((most, m) => Math.max(most, m.id), 0);

/** The newest public answer by somebody else after a message; null if there is none. Whoever has no chat profile cannot be told from others who have none: then only the server knows. */
export function answerAfter(request: Request, seen: number, me: Me | null): Message | null {
  if (me === null || seen === 0) return null;
  return (request.messages ?? []).findLast((m) => m.id > seen && m.is_responder && !m.is_private && m.author !== (me.user?.id ?? null)) ?? null;
}

/** The id of a message's element. */
export const idOf = (message: number) => `message-${message}`;

/** Leads to a message, for the eyes and for the keys. Returns whether it is there. */
export function showMessage(message: number): boolean {
  const element = document.getElementById(idOf(message));
  element?.scrollIntoView({ block: "nearest" });
  element?.focus({ preventScroll: true });
  return element !== null;
}
