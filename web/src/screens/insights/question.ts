// What the explorer asks, as it stands in the address bar: ?measures=count&by=priority&each=week.
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { type Filter, type Query, full, short } from "../../data/insights";
import { type Exploration, type Target } from "../../data/explorations";
import { type Granularity, type Period, dateRangeOf, rangeWordOf } from "./period";

export type ExplorerSearch = {
  /** The saved exploration that this began with. */
  saved?: string | undefined;
  chart?: string | undefined;
  target?: string | undefined;
  measures?: string | undefined;
  by?: string | undefined;
  each?: string | undefined;
  time?: string | undefined;
  range?: string | undefined;
  filters?: string | undefined;
};

const words = ["measures", "by", "each", "time", "range", "filters", "saved", "chart", "target"] as const;

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
  /** Nothing chosen: what fits. */
  chart: ChartKind | null;
  target: Target | null;
};

export type ChartKind = Exploration["chart"];
export const chartKinds: { value: ChartKind; label: MessageDescriptor }[] = [
  { value: "line", label: msg`Lines` },
  { value: "bar", label: msg`Bars` },
  { value: "table", label: msg`Table` },
  { value: "number", label: msg`Numbers` },
];

// A target in the address: first_response_time_p50:at_most:60.
function targetOf(text: string | undefined, measures: string[]): Target | null {
  const [measure, bound, value] = (text ?? "").split(":");
  if (!measure || !measures.includes(measure) || (bound !== "at_most" && bound !== "at_least") || !value || !(Number(value) >= 0)) return null;
  return { measure: full(measure), bound, value: Number(value) };
}

/** Whether a value is on the wrong side of a target. */
export function isMissed(target: Target | null | undefined, measure: string, value: number | null): boolean {
  if (!target || value === null || short(target.measure) !== measure) return false;
  return target.bound === "at_most" ? value > target.value : value < target.value;
}

const granularities: string[] = ["day", "week", "month", "quarter", "year"];
const usual = { measures: "count", each: "day", time: "created_at" };
const list = (text: string | undefined) => (text ?? "").split(",").filter((v) => v !== "");

// A value may hold whatever separates values, so each is written as in an address.
export function filterOf(text: string): Filter | null {
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

export function textOf(f: Filter): string {
  return `${short(f.member)}:${f.operator}:${(f.values ?? []).map((v) => encodeURIComponent(v ?? "")).join("|")}`;
}

export function questionOf(search: ExplorerSearch): Question {
  const each = search.each ?? usual.each;
  const measures = list(search.measures ?? usual.measures);
  return {
    measures,
    chart: chartKinds.find((k) => k.value === search.chart)?.value ?? null,
    target: targetOf(search.target, measures),
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
    chart: q.chart ?? undefined,
    target: q.target ? `${short(q.target.measure)}:${q.target.bound}:${q.target.value}` : undefined,
  };
}

/** The question of a saved exploration. */
export function savedQuestion({ query, chart, target }: Pick<Exploration, "query" | "chart" | "target">): Question {
  const t = query.time_dimensions[0];
  return {
    measures: query.measures.map(short),
    by: (query.dimensions ?? []).map(short),
    each: granularities.includes(t?.granularity ?? "") ? (t?.granularity as Granularity) : null,
    time: short(t?.dimension ?? usual.time),
    range: rangeWordOf(t?.date_range),
    filters: query.filters ?? [],
    chart,
    target: target ?? null,
  };
}

/** What is saved of a question: its range stays in words, so that it moves along. */
export function toSave(q: Question, fits: ChartKind) {
  const query = queryOf(q, { from: "", to: "" });
  const [time] = query.time_dimensions;
  const target = q.target && q.measures.includes(short(q.target.measure)) ? q.target : null;
  return { query: { ...query, time_dimensions: [{ ...time!, date_range: dateRangeOf(q.range) }] }, chart: q.chart ?? fits, target };
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
