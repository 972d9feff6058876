// How the snooze of a request is said.
import type { ListedRequest } from "../data/requests";
import { dateAndTime } from "./time";

type Snooze = NonNullable<ListedRequest["snooze"]>;
type Back = Pick<ListedRequest, "snooze" | "author_email"> & Partial<Pick<ListedRequest, "last_message">>;

/** "Snoozed until 18 May 09:00". */
export function snoozedUntil({ until }: Snooze): string {
  return until === null ? "Snoozed until the customer answers" : `Snoozed until ${dateAndTime(until)}`;
}

/** Why a request is back: "Back: Ines answered". */
export function backReason({ snooze, last_message, author_email }: Back): string {
  if (snooze?.back?.reason !== "message") return "Back: its time has come";
  const who = last_message && !last_message.is_responder ? last_message.author_name : author_email;
  return `Back: ${who || "the customer"} answered`;
}
