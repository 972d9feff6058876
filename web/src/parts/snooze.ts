// How the snooze of a request is said.
import { t } from "@lingui/core/macro";
import type { ListedRequest } from "../data/requests";
import { dateAndTime } from "./time";

type Snooze = NonNullable<ListedRequest["snooze"]>;
type Back = Pick<ListedRequest, "snooze" | "author_email"> & Partial<Pick<ListedRequest, "last_message">>;

/** "Snoozed until 18 May 09:00". */
export function snoozedUntil({ until }: Snooze): string {
  if (until === null) return t`Snoozed until the customer answers`;
  const time = dateAndTime(until);
  return t`Snoozed until ${time}`;
}

/** Why a request is back: "Back: Ines answered". */
export function backReason({ snooze, last_message, author_email }: Back): string {
  if (snooze?.back?.reason !== "message") return t`Back: snooze ended`;
  const who = last_message && !last_message.is_responder ? last_message.author_name : author_email;
  return who ? t`Back: ${who} answered` : t`Back: the customer answered`;
}
