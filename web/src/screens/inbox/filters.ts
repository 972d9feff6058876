// The filters of the inbox, as they appear in the address bar. An address without
// filters shows the default view: all unsolved requests.
import type { RequestFilters } from "../../data/requests";
import { type TriageFilters, settled, triageNames } from "./triage";

/** The words of the address bar. Several values of one word are separated by commas. */
export type Filters = {
  state?: string;
  priority?: string;
  assignee_id?: string;
  team_id?: string;
  customer_id?: string;
  tag?: string;
  collection_id?: string;
  channel_id?: string;
  author_emails?: string;
  unread?: string;
  following?: string;
  snoozed?: string;
  after?: string;
  before?: string;
  query?: string;
  filter_by?: string;
  sort_order?: string;
} & TriageFilters;

export type FilterName = keyof Filters;

const names: FilterName[] = [
  "state",
  "priority",
  "assignee_id",
  "team_id",
  "customer_id",
  "tag",
  "collection_id",
  "channel_id",
  "author_emails",
  "unread",
  "following",
  "snoozed",
  "after",
  "before",
  "query",
  "filter_by",
  "sort_order",
  ...triageNames,
];

/** Values of `state` that are not in the API: every unsolved state, and no filter at all. */
export const unsolved = "unsolved";
const any = "any";
const unsolvedStates = "open,in_progress,pending,on_hold";

/** Takes the filters out of an address, and leaves what is none of them. */
export function fromAddress(search: Record<string, unknown>): Filters {
  const filters: Filters = {};
  for (const name of names) {
    const value = search[name];
    if (value !== undefined && value !== null && String(value) !== "") filters[name] = String(value);
  }
  return filters;
}

/** What an address shows. */
export function shown(address: Filters): Filters {
  if (Object.keys(address).length === 0) return { state: unsolved };
  const { state, ...rest } = address;
  if (state === undefined || state === any) return settled(rest);
  return settled({ ...rest, state: state === unsolvedStates ? unsolved : state });
}

/** The address that shows this, as short as it can be. */
export function toAddress(filters: Filters): Filters {
  const given = fromAddress(filters);
  const words = Object.keys(given);
  if (words.length === 0) return { state: any };
  if (words.length === 1 && given.state === unsolved) return {};
  return given;
}

/** The values of one filter. A comma within one, as tags may have, is written %2C, and a % is written %25. */
export function valuesOf(filters: Filters, name: FilterName): string[] {
  return (filters[name] ?? "")
    .split(",")
    .filter((v) => v !== "")
    .map((v) => v.replaceAll("%2C", ",").replaceAll("%25", "%"));
}

/** Filters with other values of one of them; none take it away. */
export function withValues(filters: Filters, name: FilterName, values: string[]): Filters {
  const { [name]: _, ...rest } = filters;
  return values.length === 0 ? rest : { ...rest, [name]: values.map((v) => v.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",") };
}

// These may have several values at once.
const several: FilterName[] = ["state", "priority", "assignee_id", "team_id", "customer_id", "tag", "author_emails", "source", "category", "sentiment", "emotion", "custom_field"];
// These are repeated in a query, because a comma may be part of a value.
const repeated: FilterName[] = ["tag", "category"];

/** The filters as the API has them. */
export function toQuery(filters: Filters): RequestFilters {
  const query: Record<string, unknown> = {};
  for (const name of names) {
    if (filters[name] === undefined) continue;
    if (name === "state" && filters.state === unsolved) query.state = unsolvedStates.split(",");
    else query[name] = several.includes(name) ? valuesOf(filters, name) : filters[name];
  }
  if (isWork(filters)) query.snoozed = "false";
  return query as RequestFilters;
}

/** Whether a list is of what is to be done. What is snoozed is not, and is left out. A search finds everything. */
function isWork({ state, snoozed, query }: Filters): boolean {
  return state !== undefined && snoozed === undefined && query === undefined && state.split(",").every((s) => s === unsolved || unsolvedStates.split(",").includes(s));
}

/** The requests of a list of what is to be done that came back from a snooze: they stand on top. null for other lists. */
export function backOf(query: RequestFilters): RequestFilters | null {
  return query.snoozed === "false" ? { ...query, snoozed: "back" } : null;
}

/** The filters as a view keeps them: the query of a list of requests, which has no words to search for. */
export function toViewQuery(filters: Filters): string {
  const words = new URLSearchParams();
  for (const name of names) {
    const value = filters[name];
    if (value === undefined || name === "query") continue;
    if (repeated.includes(name)) for (const value of valuesOf(filters, name)) words.append(name, value);
    else words.set(name, value === unsolved ? unsolvedStates : value);
  }
  return words.toString();
}

/** What a view shows. */
export function fromViewQuery(query: string): Filters {
  const words = new URLSearchParams(query);
  let filters: Filters = {};
  for (const name of names) {
    const values = words.getAll(name);
    if (repeated.includes(name)) filters = withValues(filters, name, values);
    else if (values.length > 0) filters[name] = values.join(",");
  }
  if (filters.state === unsolvedStates) filters.state = unsolved;
  return filters;
}

/** Whether two show the same, in whatever order their words stand. */
export function same(a: Filters, b: Filters): boolean {
  return names.every((n) => a[n] === b[n]);
}
