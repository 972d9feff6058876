// Links from a figure to its requests in the inbox. The inbox has fewer filters than
// Insights, so a link is either exact, or leads to a larger set and says so.
import { t } from "@lingui/core/macro";
import { type Filter, type Value, short } from "../../data/insights";
import { addDays, afterOf, beforeOf } from "../../parts/days";
import type { Period } from "./period";

export const states = ["open", "in_progress", "pending", "on_hold", "solved", "closed"];
export const priorities = ["low", "normal", "high", "urgent"];

/** What a figure counts. */
export type Of = {
  measure: string;
  /** By which moment of the request the period goes, and the period; null is all of time. */
  time: string;
  period: Period | null;
  zone: string;
  groups: { dimension: string; value: Value }[];
  filters: Filter[];
};

export type Behind = { href: string; exact: boolean; title: string };

// Measures that count the requests in some states, and nothing else.
const statesOf: Record<string, string[]> = {
  count: states,
  resolved_requests_count: ["solved", "closed"],
  requests_in_solved_state: ["solved"],
};

/** The inbox's words for what Insights call otherwise, and how many values it takes. */
const words: Record<string, { word: string; all?: string[]; several: boolean; none: boolean }> = {
  state: { word: "state", all: states, several: true, none: false },
  priority: { word: "priority", all: priorities, several: true, none: false },
  assignee_user_id: { word: "assignee_id", several: true, none: true },
  customer_id: { word: "customer_id", several: true, none: true },
  collection_id: { word: "collection_id", several: false, none: false },
};

export function behind(of: Of): Behind {
  const wanted = new Map<string, string[]>();
  let exact = true;
  const narrow = (member: string, values: (Value | undefined)[]) => {
    const known = words[member];
    const texts = values.map((v) => (v === null || v === undefined ? "none" : String(v)));
    if (!known || (texts.includes("none") && !known.none)) {
      exact = false;
      return;
    }
    const had = wanted.get(known.word);
    const both = had ? had.filter((v) => texts.includes(v)) : texts;
    if (both.length === 0 || (both.length > 1 && !known.several)) exact = false;
    else wanted.set(known.word, both);
  };

  // Without states a list has conversations that are no requests any more.
  wanted.set("state", states);
  const counted = statesOf[of.measure];
  if (counted) narrow("state", counted);
  else exact = false;
  for (const g of of.groups) narrow(g.dimension, [g.value]);
  for (const f of of.filters) {
    const member = short(f.member);
    const all = words[member]?.all;
    if (f.operator === "equals") narrow(member, f.values ?? []);
    else if (f.operator === "not_equals" && all)
      narrow(
        member,
        all.filter((v) => !f.values?.includes(v)),
      );
    else if (f.operator === "not_set") narrow(member, [null]);
    else if (!(f.operator === "set" && all)) exact = false;
  }

  const address = new URLSearchParams();
  for (const [word, values] of wanted) address.set(word, values.join(","));
  if (of.period && of.time === "created_at") {
    address.set("after", afterOf(of.period.from, of.zone));
    address.set("before", beforeOf(addDays(of.period.to, 1), of.zone));
  } else if (of.time !== "created_at") exact = false;

  return {
    href: `/requests?${address.toString().replaceAll("%2C", ",").replaceAll("%3A", ":")}`,
    exact,
    title: exact ? t`Open these requests` : t`Open the requests of this period. The inbox cannot filter to exactly the ones counted here.`,
  };
}
