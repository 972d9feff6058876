// Numbers about requests: what can be asked, and the answers.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

export type Query = Schemas["InsightsQuery"];
export type Filter = Schemas["InsightsFilter"];
export type Meta = Schemas["InsightsMeta"];
export type Measure = Schemas["InsightsMeasure"];
export type Member = Schemas["InsightsMember"];
export type FilterMember = Schemas["InsightsFilterMember"];
export type Value = string | number | null;
export type Row = Record<string, Value>;

/** What every name of the interface begins with. The address bar and the code here do without. */
// eslint-disable-next-line lingui/no-unlocalized-strings -- not a text
const prefix = "Requests.";
export const full = (name: string) => prefix + name;
export const short = (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : name);

export const insightsMetaQuery = queryOptions({
  queryKey: ["insights", "meta"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/insights/meta", { signal }))).insights,
  staleTime: 10 * 60_000,
});

/** The rows of a query. */
export const insightsQuery = (query: Query) =>
  queryOptions({
    queryKey: ["insights", "rows", query],
    queryFn: async ({ signal }) => (await ask(api.POST("/v1/rest/insights/query", { body: { query }, signal }))).insights,
    staleTime: 60_000,
  });

/** The same rows as a file for a spreadsheet. */
export async function insightsFile(query: Query): Promise<string> {
  return await ask(api.POST("/v1/rest/insights/query.csv", { body: { query }, parseAs: "text" }));
}

/** A number of a row; null where there is nothing to tell. */
export function numberOf(row: Row | undefined, measure: string): number | null {
  const value = row?.[full(measure)];
  return typeof value === "number" ? value : null;
}

/** A group's value of a dimension. */
export function valueOf(row: Row, member: string): Value {
  return row[full(member)] ?? null;
}

/** The first day of the bucket that a row is of; empty where there are no buckets. */
export function dayOf(row: Row, time: string, granularity: string): string {
  return String(row[`${full(time)}.${granularity}`] ?? "").slice(0, 10);
}

export function rowsByDay(rows: Row[], time: string, granularity: string): Map<string, Row> {
  return new Map(rows.map((r) => [dayOf(r, time, granularity), r]));
}

/** The number of a bucket. One without a request has no row: that is no request, and no length. */
export function measured(row: Row | undefined, measure: string, unit: Measure["unit"]): number | null {
  return row ? numberOf(row, measure) : unit === undefined ? 0 : null;
}
