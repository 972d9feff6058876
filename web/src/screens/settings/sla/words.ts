// An SLA policy as a sentence.
import { plural, select, t } from "@lingui/core/macro";
import type { Priority } from "../../../data/requests";
import type { GivenPolicy, SLAKind } from "../../../data/slaPolicies";
import { locale } from "../../../texts";

export const kinds = (): Record<SLAKind, { label: string; about: string }> => ({
  first_response: { label: t`First response`, about: t`Time until the first response.` },
  resolution: { label: t`Resolution`, about: t`Time until the request is solved.` },
  one_touch: { label: t`Reply limit`, about: t`Number of replies until the request is solved.` },
});

export type Names = { collection: (id: number) => string; customer: (id: number) => string; schedule: (id: number) => string };

const hours = new Intl.NumberFormat(locale, { style: "unit", unit: "hour", unitDisplay: "long" });
const minutes = new Intl.NumberFormat(locale, { style: "unit", unit: "minute", unitDisplay: "long" });

/** "30 minutes", "1 hour 30 minutes", "40 hours". A working day has no fixed length, so nothing is said in days. */
export function lengthInWords(length: number): string {
  const h = Math.floor(length / 60);
  const m = length % 60;
  return [h > 0 && hours.format(h), (m > 0 || h === 0) && minutes.format(m)].filter(Boolean).join(" ");
}

const list = new Intl.ListFormat(locale);

function listed(words: string[], most = 3): string {
  if (words.length <= most) return list.format(words);
  const more = words.length - most + 1;
  return list.format([...words.slice(0, most - 1), plural(more, { one: "# other", other: "# others" })]);
}

type Promised = Pick<GivenPolicy, "kind" | "collection_id" | "conditions" | "schedule_id"> & { target_minutes?: number | null | undefined; max_replies?: number | null | undefined };

/** "First response within 30 minutes of working hours (Office) for urgent requests." */
export function promiseInWords(p: Promised, names: Names): string {
  const requests = requestsInWords(p, names);
  if (p.kind === "one_touch") {
    const most = p.max_replies ?? 0;
    return t`Solved with at most ${plural(most, { one: "# reply", other: "# replies" })} for ${requests}.`;
  }
  const length = lengthInWords(p.target_minutes ?? 0);
  if (p.schedule_id === null)
    return p.kind === "first_response"
      ? t`First response within ${length} of the collection’s working hours for ${requests}.`
      : t`Solved within ${length} of the collection’s working hours for ${requests}.`;
  const schedule = names.schedule(p.schedule_id);
  return p.kind === "first_response" ? t`First response within ${length} of working hours (${schedule}) for ${requests}.` : t`Solved within ${length} of working hours (${schedule}) for ${requests}.`;
}

/** "urgent requests of Harbor with a ticket in Partners": the requests that a policy is for. */
function requestsInWords({ conditions, collection_id }: Promised, names: Names): string {
  const { priorities, customer_ids: ids = [], has_ticket: hasTicket } = conditions;
  const some = priorities && priorities.length > 0 && priorities.length < 4;
  const words = adjectives();
  const adjective = some ? listed(priorities.map((priority) => words[priority])) : "";
  const customers = ids.length > 0 ? listed(ids.map(names.customer)) : "";
  const collection = collection_id === null ? "" : names.collection(collection_id);
  const which = some ? "some" : customers !== "" || hasTicket !== undefined || collection !== "" ? "any" : "all";
  const ofCustomers = customers === "" ? "no" : "yes";
  const ticket = hasTicket === undefined ? "any" : hasTicket ? "with" : "without";
  const inCollection = collection === "" ? "no" : "yes";
  /* eslint-disable lingui/no-single-variables-to-translate -- the rule takes the choices for texts of their own */
  return t({
    comment: "Stands after “First response within 30 minutes of working hours for”. {adjective} is “urgent and high”, or another list of priorities.",
    message: `${select(which, { some: `${adjective} `, all: "all ", other: "" })}requests${select(ofCustomers, { yes: ` of ${customers}`, other: "" })}${select(ticket, { with: " with a ticket", without: " without a ticket", other: "" })}${select(inCollection, { yes: ` in ${collection}`, other: "" })}`,
  });
  /* eslint-enable lingui/no-single-variables-to-translate */
}

/** As they stand before "requests". */
const adjectives = (): Record<Priority, string> => ({
  low: t({ message: "low", context: "requests" }),
  normal: t({ message: "normal", context: "requests" }),
  high: t({ message: "high", context: "requests" }),
  urgent: t({ message: "urgent", context: "requests" }),
});
