// What people call the ways of a collection.
import type { Account } from "../../../data/account";
import type { Collection, CollectionKind, EmailConfig, Expiring } from "../../../data/collections";

export const kinds: Record<CollectionKind, { label: string; about: string }> = {
  chat: { label: "Chat channels", about: "Messages from customers in its channels become requests." },
  api: { label: "API and ticket forms", about: "Requests are created through the API and ticket forms." },
  email: { label: "Email", about: "Requests come in by email." },
  portal: { label: "Portal", about: "Customers create requests in a portal." },
  web_chat: { label: "Web chat", about: "Website visitors create requests." },
};

type Config = Collection["config"];
export const autoAssign: Record<Config["auto_assign"], string> = {
  none: "No one",
  first_responder: "The first to reply",
  round_robin: "Everyone in turn",
};

export const notify: Record<Config["notify"], string> = {
  none: "Do not notify",
  mention: "Mention them where it is posted",
  direct_message: "Send a direct message",
};

type Mailbox = NonNullable<EmailConfig["mailbox"]>;
export const mailboxTLS: Record<Mailbox["tls"], string> = {
  implicit: "Encrypted from the beginning (TLS)",
  starttls: "Encrypted after STARTTLS",
  none: "Not encrypted",
};

type Rules = Collection["csat_config"];
export const triggers: Record<Rules["trigger"], string> = { solved: "Automatically when a request is solved", manual: "Only when someone sends it" };
export const scopes: Record<Rules["scope"], string> = { all: "All requests", tickets: "Requests with a ticket" };
export const surveyTypes: Record<Rules["survey_type"], string> = { five_point_rating: "1 to 5", two_point_rating: "Thumbs up or down" };

export type EmojiRule = keyof Collection["emoji_config"];
export const emojiRules: Record<EmojiRule, { label: string; about: string }> = {
  take: { label: "Take", about: "Assigns the request to the person who reacts, and counts as the first response." },
  solve: { label: "Solve", about: "Marks the request as solved." },
  urgent: { label: "Urgent", about: "Makes the request urgent." },
  ticket: { label: "Ticket", about: "Creates a ticket for the request." },
  request: { label: "Request", about: "Turns a conversation into a request." },
};

/** What a collection is the account's default for; null if for nothing. */
export function defaultFor(account: Account, id: number): string | null {
  if (account.api_collection_id === id) return "Default for the API";
  return account.email_collection_id === id ? "Default for mail" : null;
}

/** For a list to choose from. */
export function choices<K extends string>(words: Record<K, string>): { value: K; label: string }[] {
  return (Object.keys(words) as K[]).map((value) => ({ value, label: words[value] }));
}

/** What a retention deletes today, in a sentence. */
export function deletes({ requests, messages, files, bytes }: Expiring): string {
  if (messages.count + files.count === 0) return "Today this deletes nothing.";
  const parts = [];
  if (messages.count > 0) parts.push(`${several(messages, "message")} in ${several(requests, "request")}`);
  if (files.count > 0) parts.push(`${several(files, "file")} (${size(bytes)}${files.is_more ? " or more" : ""})${messages.count > 0 ? "" : ` of ${several(requests, "request")}`}`);
  return `Today this deletes ${parts.join(" and ")}. It cannot be undone.`;
}

function several({ count, is_more }: Expiring["requests"], one: string): string {
  return `${is_more ? "more than " : ""}${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const step = bytes < 1e6 ? 1 : bytes < 1e9 ? 2 : 3;
  return `${(bytes / 1000 ** step).toLocaleString("en", { maximumFractionDigits: 1 })} ${["", "kB", "MB", "GB"][step]}`;
}
