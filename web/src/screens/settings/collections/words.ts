// What people call the ways of a collection.
import type { Collection, CollectionKind } from "../../../data/collections";

export const kinds: Record<CollectionKind, { label: string; about: string }> = {
  chat: { label: "Chat channels", about: "What customers write in its channels are requests." },
  api: { label: "API and ticket forms", about: "Programs and ticket forms make its requests." },
  email: { label: "Email", about: "Its requests come by email." },
  portal: { label: "Portal", about: "Customers make its requests in a portal." },
  web_chat: { label: "Web chat", about: "Visitors of a website make its requests." },
};

type Config = Collection["config"];
export const autoAssign: Record<Config["auto_assign"], string> = {
  none: "Nobody, until somebody takes it",
  first_responder: "Whoever answers first",
  round_robin: "One after the other, at once",
};

export const notify: Record<Config["notify"], string> = {
  none: "Not at all",
  mention: "They are mentioned where it is posted",
  direct_message: "By a direct message",
};

type Rules = Collection["csat_config"];
export const triggers: Record<Rules["trigger"], string> = { solved: "By itself, when a request is solved", manual: "Only when somebody sends it" };
export const scopes: Record<Rules["scope"], string> = { all: "All requests", tickets: "Requests that have a ticket" };
export const surveyTypes: Record<Rules["survey_type"], string> = { five_point_rating: "1 to 5", two_point_rating: "Thumbs up or down" };

export type EmojiRule = keyof Collection["emoji_config"];
export const emojiRules: Record<EmojiRule, { label: string; about: string }> = {
  take: { label: "Take", about: "Assigns the request to whoever reacts, and counts as the first response." },
  solve: { label: "Solve", about: "Closes the request." },
  urgent: { label: "Urgent", about: "Makes the request urgent." },
  ticket: { label: "Ticket", about: "Makes a ticket of the request." },
  request: { label: "Request", about: "Makes a request of a conversation that is none." },
};

/** For a list to choose from. */
export function choices<K extends string>(words: Record<K, string>): { value: K; label: string }[] {
  return (Object.keys(words) as K[]).map((value) => ({ value, label: words[value] }));
}
