// What a dashboard that somebody put together is narrowed to, as it stands in the address
// bar. What is not there is as the dashboard has it.
import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { type Dashboard, type GivenCard, makeDashboard } from "../../data/explorations";
import { type Filter, full } from "../../data/insights";
import { locale } from "../../texts";
import { type DashboardPlan, type DashboardSearch, filtersOf } from "./dashboards";
import { dateRangeOf } from "./period";
import { filterOf, textOf } from "./question";

export type BoardSearch = { range?: string | undefined; filters?: string | undefined };

export function boardSearch(search: Record<string, unknown>): BoardSearch {
  const found: BoardSearch = {};
  if (typeof search.range === "string" && search.range !== "") found.range = search.range;
  if (typeof search.filters === "string") found.filters = search.filters;
  return found;
}

export const textOfFilters = (filters: Filter[]) => filters.map(textOf).join(";");
export const filtersFrom = (text: string): Filter[] => text.split(";").flatMap((t) => filterOf(t) ?? []);

const members = ["collection_id", "customer_id", "priority"] as const;
const isSimple = (f: Filter, member: string) => f.member === full(member) && f.operator === "equals";

/** The filters for which there are fields above the dashboard. */
export function narrowingOf(filters: Filter[]): DashboardSearch {
  const found: DashboardSearch = {};
  for (const member of members) {
    const values = filters.find((f) => isSimple(f, member))?.values;
    if (values) found[member] = values.join(",");
  }
  return found;
}

/** The filters after one of these fields was changed. Others stay. */
export function narrowed(filters: Filter[], part: DashboardSearch): Filter[] {
  const changed = members.filter((m) => m in part);
  return [...filters.filter((f) => !changed.some((m) => isSimple(f, m))), ...filtersOf(part)];
}

/** Makes a dashboard of one's own out of a built-in one: its explorations come along. */
export function copyPlan(client: QueryClient, plan: DashboardPlan, search: DashboardSearch): Promise<Dashboard> {
  const dashboard = i18n._(plan.label);
  const time = { dimension: full("created_at"), date_range: dateRangeOf(search.range) };
  const ask = (measures: { measure: string }[], more: object = {}) => ({ measures: measures.map((m) => full(m.measure)), time_dimensions: [time], ...more });
  const cards: GivenCard[] = [
    { width: "whole", exploration: { name: dashboard, chart: "number", target: null, query: ask(plan.figures) } },
    ...plan.charts.map((c): GivenCard => ({
      width: plan.charts.length === 1 ? "whole" : "half",
      exploration: { name: i18n._(c.title), chart: c.kind, target: null, query: { ...ask(c.measures), time_dimensions: [{ ...time, granularity: "week" }] } },
    })),
    ...plan.breakdowns.map((b): GivenCard => {
      const title = i18n._(b.title);
      const breakdown = `${title.charAt(0).toLocaleLowerCase(locale)}${title.slice(1)}`;
      return { width: "half", exploration: { name: `${dashboard} ${breakdown}`, chart: "table", target: null, query: ask(b.measures, { dimensions: [full(b.dimension)] }) } };
    }),
  ];
  return makeDashboard(client, { name: t`${dashboard} (copy)`, shared: false, cards, date_range: time.date_range as Dashboard["date_range"], filters: filtersOf(search) });
}
