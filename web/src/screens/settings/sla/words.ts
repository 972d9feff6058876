// An SLA policy as a sentence.
import type { GivenPolicy, SLAKind } from "../../../data/slaPolicies";

export const kinds: Record<SLAKind, { label: string; about: string }> = {
  first_response: { label: "First response", about: "Time until the first response." },
  resolution: { label: "Resolution", about: "Time until the request is solved." },
  one_touch: { label: "Reply limit", about: "Number of replies until the request is solved." },
};

export type Names = { collection: (id: number) => string; customer: (id: number) => string; schedule: (id: number) => string };

function count(n: number, one: string): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : `${one}s`}`;
}

/** "30 minutes", "1 hour 30 minutes", "40 hours". A working day has no fixed length, so nothing is said in days. */
export function lengthInWords(minutes: number): string {
  const h = Math.floor(minutes / 60);
  const m = minutes % 60;
  return [h > 0 && count(h, "hour"), (m > 0 || h === 0) && count(m, "minute")].filter(Boolean).join(" ");
}

function listed(words: string[], most = 3): string {
  if (words.length > most) return `${words.slice(0, most - 1).join(", ")} and ${words.length - most + 1} others`;
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

type Promised = Pick<GivenPolicy, "kind" | "collection_id" | "conditions" | "schedule_id"> & { target_minutes?: number | null | undefined; max_replies?: number | null | undefined };

/** "First response within 30 minutes of working hours (Office) for urgent requests." */
export function promiseInWords(p: Promised, names: Names): string {
  const { priorities: of, customer_ids: customers, has_ticket: hasTicket } = p.conditions;
  const parts: string[] = [];
  if (p.kind === "one_touch") parts.push(`Solved with at most ${count(p.max_replies ?? 0, "reply").replace("replys", "replies")}`);
  else {
    const hours = p.schedule_id === null ? "of the collection’s working hours" : `of working hours (${names.schedule(p.schedule_id)})`;
    parts.push(`${p.kind === "first_response" ? "First response" : "Solved"} within ${lengthInWords(p.target_minutes ?? 0)} ${hours}`);
  }
  const some = of && of.length > 0 && of.length < 4;
  parts.push(`for ${some ? `${listed(of)} ` : customers?.length || hasTicket !== undefined || p.collection_id !== null ? "" : "all "}requests`);
  if (customers && customers.length > 0) parts.push(`of ${listed(customers.map(names.customer))}`);
  if (hasTicket !== undefined) parts.push(hasTicket ? "with a ticket" : "without a ticket");
  if (p.collection_id !== null) parts.push(`in ${names.collection(p.collection_id)}`);
  return `${parts.join(" ")}.`;
}
