// What the explorer asks, as it stands in the address bar: ?measures=count&by=priority&each=week.
import { type Filter, type Query, full, short } from "../../data/insights";
import { type Granularity, type Period } from "./period";

export type ExplorerSearch = { measures?: string | undefined; by?: string | undefined; each?: string | undefined; time?: string | undefined; range?: string | undefined; filters?: string | undefined };

const words = ["measures", "by", "each", "time", "range", "filters"] as const;

export function explorerSearch(search: Record<string, unknown>): ExplorerSearch {
  const found: ExplorerSearch = {};
  for (const word of words) {
    const value = search[word];
    if (typeof value === "string" && value !== "") found[word] = value;
  }
  return found;
}

export type Question = {
  measures: string[];
  by: string[];
  each: Granularity | null;
  time: string;
  range: string | undefined;
  filters: Filter[];
};

const granularities: string[] = ["day", "week", "month", "quarter", "year"];
const usual = { measures: "count", each: "day", time: "created_at" };
const list = (text: string | undefined) => (text ?? "").split(",").filter((v) => v !== "");

// A value may hold whatever separates values, so each is written as in an address.
function filterOf(text: string): Filter | null {
  const [member, operator, values] = text.split(":");
  if (!member || !operator) return null;
  return {
    member: full(member),
    operator,
    values: (values ?? "")
      .split("|")
      .filter((v) => v !== "")
      .map(decoded),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // somebody's own writing
  }
}

function textOf(f: Filter): string {
  return `${short(f.member)}:${f.operator}:${(f.values ?? []).map((v) => encodeURIComponent(v ?? "")).join("|")}`;
}

export function questionOf(search: ExplorerSearch): Question {
  const each = search.each ?? usual.each;
  return {
    measures: list(search.measures ?? usual.measures),
    by: list(search.by),
    each: granularities.includes(each) ? (each as Granularity) : null,
    time: search.time ?? usual.time,
    range: search.range,
    filters: (search.filters ?? "").split(";").flatMap((t) => filterOf(t) ?? []),
  };
}

/** The address of a question, without what is usual. */
export function searchOf(q: Question): ExplorerSearch {
  const said = (word: keyof typeof usual, text: string) => (text === usual[word] ? undefined : text);
  return {
    measures: said("measures", q.measures.join(",")),
    by: q.by.join(",") || undefined,
    each: said("each", q.each ?? "none"),
    time: said("time", q.time),
    range: q.range,
    filters: q.filters.map(textOf).join(";") || undefined,
  };
}

/** Whether a filter says something: one that is still being filled in does not. */
export function isWhole(f: Filter): boolean {
  if (f.operator === "set" || f.operator === "not_set") return true;
  return (f.values ?? []).length >= (f.operator === "in_date_range" ? 2 : 1);
}

export function queryOf(q: Question, period: Period): Query {
  const filters = q.filters.filter(isWhole).map((f) => (f.operator === "set" || f.operator === "not_set" ? { member: f.member, operator: f.operator } : f));
  return {
    measures: q.measures.map(full),
    time_dimensions: [{ dimension: full(q.time), date_range: [period.from, period.to], ...(q.each && { granularity: q.each }) }],
    ...(q.by.length > 0 && { dimensions: q.by.map(full) }),
    ...(filters.length > 0 && { filters }),
  };
}

/** The query as a line for the terminal; the token is the reader's own. */
export function curlLine(query: Query, address: string): string {
  const body = JSON.stringify({ query }).replaceAll("'", "'\\''");
  return `curl -s -H "Authorization: Bearer $T" -H 'Content-Type: application/json' '${address}/v1/rest/insights/query' -d '${body}'`;
}
