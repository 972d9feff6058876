// What the four dashboards show, and what they ask for.
import type { QueryClient } from "@tanstack/react-query";
import { type Filter, type Query, full, insightsQuery } from "../../data/insights";
import { type Granularity, type Period, before, fitting, periodOf } from "./period";

type Shown = { measure: string; label: string };

export type DashboardPlan = {
  name: DashboardName;
  label: string;
  figures: (Shown & { better: "more" | "less" | null })[];
  charts: { title: string; kind: "bar" | "line"; measures: Shown[] }[];
  breakdowns: { title: string; dimension: string; measures: Shown[] }[];
  /** Without any of these there is nothing to show. */
  needs: string[];
};

export type DashboardName = "volume" | "speed" | "sla" | "satisfaction";

const count: Shown = { measure: "count", label: "Requests" };
const resolved: Shown = { measure: "resolved_requests_count", label: "Resolved" };
const answered: Shown = { measure: "first_response_time_p50", label: "First response" };
const solvedIn: Shown = { measure: "resolution_time_p50", label: "Resolution" };
const lateAnswers: Shown = { measure: "first_response_sla_breached_percent", label: "First response breached" };
const lateSolutions: Shown = { measure: "resolution_time_sla_breached_percent", label: "Resolution breached" };
const score: Shown = { measure: "csat_score_avg", label: "Score" };
const answers: Shown = { measure: "csat_received_request_count", label: "Answers" };

export const dashboards: DashboardPlan[] = [
  {
    name: "volume",
    label: "Volume",
    figures: [
      { measure: "count", label: "New requests", better: null },
      { measure: "first_response_request_count", label: "Answered", better: "more" },
      { measure: "resolved_requests_count", label: "Solved or closed", better: "more" },
      { measure: "resolution_rate_percent", label: "Resolution rate", better: "more" },
    ],
    charts: [{ title: "New and resolved", kind: "bar", measures: [{ measure: "count", label: "New" }, resolved] }],
    breakdowns: [
      { title: "By customer", dimension: "customer_id", measures: [count, resolved] },
      { title: "By assignee", dimension: "assignee_user_id", measures: [count, resolved] },
      { title: "By collection", dimension: "collection_id", measures: [count, resolved] },
      { title: "By state", dimension: "state", measures: [count] },
      { title: "By priority", dimension: "priority", measures: [count, resolved] },
    ],
    needs: ["count"],
  },
  {
    name: "speed",
    label: "Speed",
    figures: [
      { measure: "first_response_time_p50", label: "Median first response", better: "less" },
      { measure: "first_response_time_p90", label: "First response, 90th percentile", better: "less" },
      { measure: "response_times_p50", label: "Median reply time", better: "less" },
      { measure: "resolution_time_p50", label: "Median resolution", better: "less" },
    ],
    charts: [
      {
        title: "First response",
        kind: "line",
        measures: [
          { measure: "first_response_time_p50", label: "Median" },
          { measure: "first_response_time_p90", label: "90th percentile" },
        ],
      },
      {
        title: "Resolution",
        kind: "line",
        measures: [
          { measure: "resolution_time_p50", label: "Median" },
          { measure: "resolution_time_p90", label: "90th percentile" },
        ],
      },
    ],
    breakdowns: [
      { title: "By assignee", dimension: "assignee_user_id", measures: [count, answered, solvedIn] },
      { title: "By customer", dimension: "customer_id", measures: [count, answered, solvedIn] },
      { title: "By priority", dimension: "priority", measures: [count, answered, solvedIn] },
      { title: "By collection", dimension: "collection_id", measures: [count, answered, solvedIn] },
    ],
    needs: ["count"],
  },
  {
    name: "sla",
    label: "SLA",
    figures: [
      { measure: "first_response_sla_breached_percent", label: "First response breaches", better: "less" },
      { measure: "resolution_time_sla_breached_percent", label: "Resolution breaches", better: "less" },
      { measure: "one_touch_resolution_breached_percent", label: "Reply limit breaches", better: "less" },
      { measure: "first_response_time_sla_request_count", label: "With a first response SLA", better: null },
    ],
    charts: [
      {
        title: "SLA breaches",
        kind: "bar",
        measures: [
          { measure: "first_response_sla_breached", label: "First response" },
          { measure: "resolution_time_sla_breached", label: "Resolution" },
        ],
      },
    ],
    breakdowns: [
      { title: "By priority", dimension: "priority", measures: [{ measure: "first_response_time_sla_request_count", label: "With SLA" }, lateAnswers, lateSolutions] },
      { title: "By customer", dimension: "customer_id", measures: [{ measure: "first_response_time_sla_request_count", label: "With SLA" }, lateAnswers, lateSolutions] },
      { title: "By collection", dimension: "collection_id", measures: [{ measure: "first_response_time_sla_request_count", label: "With SLA" }, lateAnswers, lateSolutions] },
      { title: "By assignee", dimension: "assignee_user_id", measures: [{ measure: "first_response_time_sla_request_count", label: "With SLA" }, lateAnswers, lateSolutions] },
    ],
    needs: ["first_response_time_sla_request_count", "resolution_time_sla_request_count", "one_touch_resolution_sla_request_count"],
  },
  {
    name: "satisfaction",
    label: "Satisfaction",
    figures: [
      { measure: "csat_score_avg", label: "CSAT score", better: "more" },
      { measure: "csat_response_percent", label: "Surveys answered", better: "more" },
      { measure: "csat_two_point_positive_responses_count", label: "Thumbs up", better: null },
      { measure: "csat_two_point_negative_responses_count", label: "Thumbs down", better: null },
    ],
    charts: [
      {
        title: "Surveys",
        kind: "bar",
        measures: [
          { measure: "csat_triggered_request_count", label: "Sent" },
          { measure: "csat_received_request_count", label: "Answered" },
        ],
      },
    ],
    breakdowns: [
      { title: "By score", dimension: "csat_score", measures: [{ measure: "csat_triggered_request_count", label: "Surveys" }] },
      { title: "By customer", dimension: "customer_id", measures: [answers, score] },
      { title: "By assignee", dimension: "assignee_user_id", measures: [answers, score] },
      { title: "By collection", dimension: "collection_id", measures: [answers, score] },
    ],
    needs: ["csat_triggered_request_count", "csat_received_request_count_two_point_survey"],
  },
];

/** What a dashboard is narrowed to, as it stands in the address bar. */
export type DashboardSearch = { range?: string | undefined; collection_id?: string | undefined; customer_id?: string | undefined; priority?: string | undefined };

const members = { collection_id: "collection_id", customer_id: "customer_id", priority: "priority" } as const;

export function dashboardSearch(search: Record<string, unknown>): DashboardSearch {
  const found: DashboardSearch = {};
  for (const name of ["range", "collection_id", "customer_id", "priority"] as const) {
    const value = search[name];
    if (typeof value === "string" && value !== "") found[name] = value;
  }
  return found;
}

export function filtersOf(search: DashboardSearch): Filter[] {
  return Object.entries(members).flatMap(([name, member]) => {
    const value = search[name as keyof typeof members];
    return value ? [{ member: full(member), operator: "equals", values: value.split(",") }] : [];
  });
}

function query(period: Period, measures: string[], filters: Filter[], more: { dimension?: string; granularity?: Granularity } = {}): Query {
  return {
    measures: measures.map(full),
    time_dimensions: [{ dimension: full("created_at"), date_range: [period.from, period.to], ...(more.granularity && { granularity: more.granularity }) }],
    ...(more.dimension && { dimensions: [full(more.dimension)] }),
    ...(filters.length > 0 && { filters }),
  };
}

/** All that a dashboard asks for: one query for the whole, one for the time before, one over time, and one for each breakdown. */
export function dashboardQueries(plan: DashboardPlan, search: DashboardSearch, zone: string) {
  const period = periodOf(search.range, zone);
  const filters = filtersOf(search);
  const granularity = fitting(period);
  const figures = [...new Set([...plan.figures.map((f) => f.measure), ...plan.needs])];
  const series = [...new Set([...plan.figures.map((f) => f.measure), ...plan.charts.flatMap((c) => c.measures.map((m) => m.measure))])];
  return {
    period,
    granularity,
    filters,
    whole: query(period, figures, filters),
    before: query(before(period), figures, filters),
    series: query(period, series, filters, { granularity }),
    breakdowns: plan.breakdowns.map((b) =>
      query(
        period,
        b.measures.map((m) => m.measure),
        filters,
        { dimension: b.dimension },
      ),
    ),
  };
}

export function prefetchDashboard(client: QueryClient, plan: DashboardPlan, search: DashboardSearch, zone: string) {
  const q = dashboardQueries(plan, search, zone);
  for (const one of [q.whole, q.before, q.series, ...q.breakdowns]) void client.prefetchQuery(insightsQuery(one));
}
