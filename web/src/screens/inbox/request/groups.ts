// Messages as they are read: by day, and what one person said in a row together.
import type { Message } from "../../../data/requests";

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
export type Day = { key: string; at: string; groups: MessageGroup[] };

// After a pause this long somebody begins anew.
const pause = 10 * 60_000;

export function byDay(messages: Message[]): Day[] {
  const days: Day[] = [];
  let group: MessageGroup | undefined;
  for (const m of messages) {
    const key = new Date(m.created_at).toDateString();
    let day = days.at(-1);
    if (day?.key !== key) {
      day = { key, at: m.created_at, groups: [] };
      days.push(day);
      group = undefined;
    }
    const last = group?.messages.at(-1);
    const from = m.email?.direction === "in" ? m.email.from : null;
    const isUnverified = m.email?.status === "unverified";
    const goesOn =
      group &&
      last &&
      group.author === m.author &&
      group.from === from &&
      !isUnverified && // each is accepted on its own
      !group.isUnverified &&
      group.isPrivate === m.is_private &&
      group.isResponder === m.is_responder &&
      Date.parse(m.created_at) - Date.parse(last.created_at) < pause;
    if (group && goesOn) group.messages.push(m);
    else {
      group = { key: m.id, author: m.author, isResponder: m.is_responder, isPrivate: m.is_private, from, isUnverified, messages: [m] };
      day.groups.push(group);
    }
  }
  return days;
}
