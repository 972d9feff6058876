// A conversation as it is read: by day, what one person said in a row together, and between the messages what happened.
import type { Message } from "../../../data/requests";
import type { Happening } from "./happenings";

export type MessageGroup = {
  key: number;
  author: string | null;
  isResponder: boolean;
  isPrivate: boolean;
  /** The address that its mails came from; null if they did not come by mail. */
  from: string | null;
  /** Nothing shows who wrote it. */
  isUnverified: boolean;
  messages: Message[];
};
/** What happened between two messages. */
export type Happened = { key: string; happenings: Happening[] };
export type Day = { key: string; at: string; items: (MessageGroup | Happened)[] };

// After a pause this long somebody begins anew.
const pause = 10 * 60_000;

/** Both lists are in the order of time. */
export function byDay(messages: Message[], happenings: Happening[] = []): Day[] {
  const days: Day[] = [];
  const dayOf = (at: string): Day => {
    const key = new Date(at).toDateString();
    const last = days.at(-1);
    if (last?.key === key) return last;
    const day = { key, at, items: [] };
    days.push(day);
    return day;
  };
  let next = 0;
  const addHappened = (before: number) => {
    for (; next < happenings.length && Date.parse(happenings[next]!.at) < before; next++) {
      const h = happenings[next]!;
      const { items } = dayOf(h.at);
      const last = items.at(-1);
      if (last && "happenings" in last) last.happenings.push(h);
      else items.push({ key: h.key, happenings: [h] });
    }
  };
  for (const m of messages) {
    addHappened(Date.parse(m.created_at));
    addMessage(dayOf(m.created_at).items, m);
  }
  addHappened(Infinity);
  return days;
}

function addMessage(items: Day["items"], m: Message) {
  const from = m.email?.direction === "in" ? m.email.from : null;
  const isUnverified = m.email?.status === "unverified";
  const group = items.at(-1);
  const last = group && "messages" in group ? group.messages.at(-1) : undefined;
  const goesOn =
    group &&
    "messages" in group &&
    last &&
    group.author === m.author &&
    group.from === from &&
    !isUnverified && // each is accepted on its own
    !group.isUnverified &&
    group.isPrivate === m.is_private &&
    group.isResponder === m.is_responder &&
    Date.parse(m.created_at) - Date.parse(last.created_at) < pause;
  if (goesOn) group.messages.push(m);
  else items.push({ key: m.id, author: m.author, isResponder: m.is_responder, isPrivate: m.is_private, from, isUnverified, messages: [m] });
}
