// What people call the ways of a collection.
import { plural, t } from "@lingui/core/macro";
import type { Account } from "../../../data/account";
import type { Collection, CollectionKind, EmailConfig, Expiring } from "../../../data/collections";
import { locale } from "../../../texts";

export const kinds = (): Record<CollectionKind, { label: string; about: string }> => ({
  chat: { label: t`Chat channels`, about: t`Messages from customers in its channels become requests.` },
  api: { label: t`API and ticket forms`, about: t`Requests are created through the API and ticket forms.` },
  email: { label: t`Email`, about: t`Requests come in by email.` },
  portal: { label: t`Portal`, about: t`Customers create requests in a portal.` },
  web_chat: { label: t`Web chat`, about: t`Website visitors create requests.` },
});

type Config = Collection["config"];
export const autoAssign = (): Record<Config["auto_assign"], string> => ({
  none: t`No one`,
  first_responder: t`The first to reply`,
  round_robin: t`Everyone in turn`,
});

export const notify = (): Record<Config["notify"], string> => ({
  none: t`Do not notify`,
  mention: t`Mention them where it is posted`,
  direct_message: t`Send a direct message`,
});

type Mailbox = NonNullable<EmailConfig["mailbox"]>;
export const mailboxTLS = (): Record<Mailbox["tls"], string> => ({
  implicit: "TLS",
  starttls: "STARTTLS",
  none: t`Not encrypted`,
});

type Rules = Collection["csat_config"];
export const triggers = (): Record<Rules["trigger"], string> => ({ solved: t`Automatically when a request is solved`, manual: t`Only when someone sends it` });
export const scopes = (): Record<Rules["scope"], string> => ({ all: t`All requests`, tickets: t`Requests with a ticket` });
export const surveyTypes = (): Record<Rules["survey_type"], string> => ({ five_point_rating: t`1 to 5`, two_point_rating: t`Thumbs up or down` });

export type EmojiRule = keyof Collection["emoji_config"];
export const emojiRules = (): Record<EmojiRule, { label: string; about: string }> => ({
  take: { label: t({ message: "Take", context: "emoji" }), about: t`Assigns the request to the person who reacts, and counts as the first response.` },
  solve: { label: t({ message: "Solve", context: "emoji" }), about: t`Marks the request as solved.` },
  urgent: { label: t({ message: "Urgent", context: "emoji" }), about: t`Sets the priority to urgent.` },
  ticket: { label: t({ message: "Ticket", context: "emoji" }), about: t`Creates a ticket for the request.` },
  request: { label: t({ message: "Request", context: "emoji" }), about: t`Turns a conversation into a request.` },
});

/** What a collection is the account's default for; null if for nothing. */
export function defaultFor(account: Account, id: number): string | null {
  if (account.api_collection_id === id) return t`Default for the API`;
  return account.email_collection_id === id ? t`Default for email` : null;
}

/** For a list to choose from. */
export function choices<K extends string>(words: Record<K, string>): { value: K; label: string }[] {
  return (Object.keys(words) as K[]).map((value) => ({ value, label: words[value] }));
}

/** What a retention deletes today, in a sentence. */
export function deletes({ requests, messages, files, bytes }: Expiring): string {
  if (messages.count + files.count === 0) return t`Today this deletes nothing.`;
  const inRequests = several(requests, (count) => plural(count, { one: "# request", other: "# requests" }));
  const deleted = [];
  if (messages.count > 0) {
    const theMessages = several(messages, (count) => plural(count, { one: "# message", other: "# messages" }));
    deleted.push(t`${theMessages} in ${inRequests}`);
  }
  if (files.count > 0) {
    const theFiles = several(files, (count) => plural(count, { one: "# file", other: "# files" }));
    const least = sizeInWords(bytes);
    const size = files.is_more ? t`${least} or more` : least;
    deleted.push(messages.count > 0 ? t`${theFiles} (${size})` : t`${theFiles} (${size}) of ${inRequests}`);
  }
  const all = new Intl.ListFormat(locale).format(deleted);
  return t`Today this deletes ${all}. It cannot be undone.`;
}

function several({ count, is_more }: Expiring["requests"], inWords: (count: number) => string): string {
  const counted = inWords(count);
  return is_more ? t`more than ${counted}` : counted;
}

function sizeInWords(bytes: number): string {
  const step = bytes < 1000 ? 0 : bytes < 1e6 ? 1 : bytes < 1e9 ? 2 : 3;
  const unit = ["byte", "kilobyte", "megabyte", "gigabyte"][step] ?? "byte";
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: step === 0 ? "long" : "short", maximumFractionDigits: 1 }).format(bytes / 1000 ** step);
}
