// What the four dashboards show, and what they ask for.
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { type Filter, type Query, full, insightsQuery } from "../../data/insights";
import { type Granularity, type Period, before, fitting, periodOf } from "./period";

type Shown = { measure: string; label: MessageDescriptor };

export type DashboardPlan = {
  name: DashboardName;
  label: MessageDescriptor;
  figures: (Shown & { better: "more" | "less" | null })[];
  charts: { title: MessageDescriptor; kind: "bar" | "line"; measures: Shown[] }[];
  breakdowns: { title: MessageDescriptor; dimension: string; measures: Shown[] }[];
  /** Without any of these there is nothing to show. */
  needs: string[];
};

export type DashboardName = "volume" | "speed" | "sla" | "satisfaction";

const count: Shown = { measure: "count", label: msg`Requests` };
const resolved: Shown = { measure: "resolved_requests_count", label: msg({ message: "Resolved", context: "requests" }) };
const answered: Shown = { measure: "first_response_time_p50", label: msg`First response` };
const solvedIn: Shown = { measure: "resolution_time_p50", label: msg`Resolution` };
const lateAnswers: Shown = { measure: "first_response_sla_breached_percent", label: msg`First response breached` };
const lateSolutions: Shown = { measure: "resolution_time_sla_breached_percent", label: msg`Resolution breached` };
const score: Shown = { measure: "csat_score_avg", label: msg`Score` };
const answers: Shown = { measure: "csat_received_request_count", label: msg`Answers` };

export const dashboards: DashboardPlan[] = [
  {
    name: "volume",
    label: msg`Volume`,
    figures: [
      { measure: "count", label: msg`New requests`, better: null },
      { measure: "first_response_request_count", label: msg({ message: "Answered", context: "requests" }), better: "more" },
      { measure: "resolved_requests_count", label: msg({ message: "Solved or closed", context: "requests" }), better: "more" },
      { measure: "resolution_rate_percent", label: msg`Resolution rate`, better: "more" },
    ],
    charts: [{ title: msg`New and resolved`, kind: "bar", measures: [{ measure: "count", label: msg({ message: "New", context: "requests" }) }, resolved] }],
    breakdowns: [
      { title: msg`By customer`, dimension: "customer_id", measures: [count, resolved] },
      { title: msg`By assignee`, dimension: "assignee_user_id", measures: [count, resolved] },
      { title: msg`By collection`, dimension: "collection_id", measures: [count, resolved] },
      { title: msg`By state`, dimension: "state", measures: [count] },
      { title: msg`By priority`, dimension: "priority", measures: [count, resolved] },
    ],
    needs: ["count"],
  },
  {
    name: "speed",
    label: msg`Speed`,
    figures: [
      { measure: "first_response_time_p50", label: msg`Median first response`, better: "less" },
      { measure: "first_response_time_p90", label: msg`First response, 90th percentile`, better: "less" },
      { measure: "response_times_p50", label: msg`Median reply time`, better: "less" },
      { measure: "resolution_time_p50", label: msg`Median resolution`, better: "less" },
    ],
    charts: [
      {
        title: msg`First response`,
        kind: "line",
        measures: [
          { measure: "first_response_time_p50", label: msg`Median` },
          { measure: "first_response_time_p90", label: msg`90th percentile` },
        ],
      },
      {
        title: msg`Resolution`,
        kind: "line",
        measures: [
          { measure: "resolution_time_p50", label: msg`Median` },
          { measure: "resolution_time_p90", label: msg`90th percentile` },
        ],
      },
    ],
    breakdowns: [
      { title: msg`By assignee`, dimension: "assignee_user_id", measures: [count, answered, solvedIn] },
      { title: msg`By customer`, dimension: "customer_id", measures: [count, answered, solvedIn] },
      { title: msg`By priority`, dimension: "priority", measures: [count, answered, solvedIn] },
      { title: msg`By collection`, dimension: "collection_id", measures: [count, answered, solvedIn] },
    ],
    needs: ["count"],
  },
  {
    name: "sla",
    label: msg`SLA`,
    figures: [
      { measure: "first_response_sla_breached_percent", label: msg`First response breaches`, better: "less" },
      { measure: "resolution_time_sla_breached_percent", label: msg`Resolution breaches`, better: "less" },
      { measure: "one_touch_resolution_breached_percent", label: msg`Reply limit breaches`, better: "less" },
      { measure: "first_response_time_sla_request_count", label: msg`With a first response SLA`, better: null },
    ],
    charts: [
      {
        title: msg`SLA breaches`,
        kind: "bar",
        measures: [
          { measure: "first_response_sla_breached", label: msg`First response` },
          { measure: "resolution_time_sla_breached", label: msg`Resolution` },
        ],
      },
    ],
    breakdowns: [
      { title: msg`By priority`, dimension: "priority", measures: [{ measure: "first_response_time_sla_request_count", label: msg`With SLA` }, lateAnswers, lateSolutions] },
      { title: msg`By customer`, dimension: "customer_id", measures: [{ measure: "first_response_time_sla_request_count", label: msg`With SLA` }, lateAnswers, lateSolutions] },
      { title: msg`By collection`, dimension: "collection_id", measures: [{ measure: "first_response_time_sla_request_count", label: msg`With SLA` }, lateAnswers, lateSolutions] },
      { title: msg`By assignee`, dimension: "assignee_user_id", measures: [{ measure: "first_response_time_sla_request_count", label: msg`With SLA` }, lateAnswers, lateSolutions] },
    ],
    needs: ["first_response_time_sla_request_count", "resolution_time_sla_request_count", "one_touch_resolution_sla_request_count"],
  },
  {
    name: "satisfaction",
    label: msg`Satisfaction`,
    figures: [
      { measure: "csat_score_avg", label: msg`CSAT score`, better: "more" },
      { measure: "csat_response_percent", label: msg`Surveys answered`, better: "more" },
      { measure: "csat_two_point_positive_responses_count", label: msg`Thumbs up`, better: null },
      { measure: "csat_two_point_negative_responses_count", label: msg`Thumbs down`, better: null },
    ],
    charts: [
      {
        title: msg`Surveys`,
        kind: "bar",
        measures: [
          { measure: "csat_triggered_request_count", label: msg({ message: "Sent", context: "surveys" }) },
          { measure: "csat_received_request_count", label: msg({ message: "Answered", context: "surveys" }) },
        ],
      },
    ],
    breakdowns: [
      { title: msg`By score`, dimension: "csat_score", measures: [{ measure: "csat_triggered_request_count", label: msg`Surveys` }] },
      { title: msg`By customer`, dimension: "customer_id", measures: [answers, score] },
      { title: msg`By assignee`, dimension: "assignee_user_id", measures: [answers, score] },
      { title: msg`By collection`, dimension: "collection_id", measures: [answers, score] },
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
