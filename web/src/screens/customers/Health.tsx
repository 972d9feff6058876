import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconEye } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { openStates } from "../../data/customer";
import { type Filter, type Query, full, insightsQuery, numberOf } from "../../data/insights";
import { useHasProfile, useMe } from "../../data/me";
import { addDays, today } from "../../parts/days";
import { Counted } from "../insights/Counted";
import type { Of } from "../insights/behind";
import classes from "./Customers.module.css";
import { satisfaction } from "./Satisfaction";
import { healthOf, howComputed } from "./healthOf";

const days = 30;
/** By shape, by colour and in words. */
const signs = {
  good: { words: msg({ message: "Good", context: "health" }), Sign: IconCircleCheck, colour: "var(--good)" },
  watch: { words: msg({ message: "Watch", context: "health" }), Sign: IconEye, colour: "var(--warn)" },
  poor: { words: msg({ message: "Poor", context: "health" }), Sign: IconAlertTriangle, colour: "var(--bad)" },
};
const measures = ["count", "first_response_sla_breached", "resolution_time_sla_breached", "csat_score_avg", "csat_received_request_count_two_point_survey", "csat_two_point_positive_responses_count"];

/** How a customer is doing, and why. */
export function Health({ id }: { id: number }) {
  const zone = useMe()?.account.time_zone ?? "UTC";
  const profile = useHasProfile();
  const to = today(zone);
  const now = { from: addDays(to, 1 - days), to };
  const before = { from: addDays(to, 1 - 2 * days), to: addDays(to, -days) };
  const filters: Filter[] = [{ member: full("customer_id"), operator: "equals", values: [String(id)] }];
  const unsolved: Filter[] = [...filters, { member: full("state"), operator: "equals", values: openStates }];
  const query = (of: string[], period: { from: string; to: string } | null, narrowed: Filter[]): Query => ({
    measures: of.map(full),
    time_dimensions: [{ dimension: full("created_at"), ...(period && { date_range: [period.from, period.to] }) }],
    filters: narrowed,
  });
  const enabled = profile === true;
  const open = useQuery({ ...insightsQuery(query(["count"], null, unsolved)), enabled });
  const recent = useQuery({ ...insightsQuery(query(measures, now, filters)), enabled });
  const earlier = useQuery({ ...insightsQuery(query(["count"], before, filters)), enabled });
  // Members without a chat profile may not read insights, but they can use the rest of the page.
  if (profile === false || open.isError || recent.isError || earlier.isError) return null;
  if (!open.data || !recent.data || !earlier.data) return <section className={classes.block} aria-label={t`Health`} aria-busy />;
  const row = recent.data[0];
  const count = (measure: string) => numberOf(row, measure) ?? 0;
  const responses = count("first_response_sla_breached");
  const resolutions = count("resolution_time_sla_breached");
  const numbers = {
    open: numberOf(open.data[0], "count") ?? 0,
    asked: count("count"),
    askedBefore: numberOf(earlier.data[0], "count") ?? 0,
    breached: Math.max(responses, resolutions),
    rating: satisfaction(row),
  };
  const { health, reasons } = healthOf(numbers);
  const { words, Sign, colour } = signs[health];
  const of = (measure: string, period: Of["period"], narrowed = filters): Of => ({ measure, time: "created_at", period, zone, groups: [], filters: narrowed });
  const figures = [
    { label: t`Open now`, value: numbers.open, unit: undefined, of: of("count", null, unsolved) },
    { label: t`Requests in ${days} days`, value: numbers.asked, unit: undefined, of: of("count", now) },
    { label: t`In the ${days} days before`, value: numbers.askedBefore, unit: undefined, of: of("count", before) },
    { label: t`First response late`, value: responses, unit: undefined, of: of("first_response_sla_breached", now) },
    { label: t`Resolution late`, value: resolutions, unit: undefined, of: of("resolution_time_sla_breached", now) },
    { label: t`Rating, 1 to 5`, value: numbers.rating, unit: "points" as const, of: of("csat_score_avg", now) },
  ];
  return (
    <section className={classes.block} aria-label={t`Health`}>
      <h2 className={classes.blockTitle}>
        {t`Health`} <Sign size={15} stroke={2} color={colour} aria-hidden className={classes.sign} /> {i18n._(words)}
      </h2>
      <Text size="sm" mb="xs">
        {reasons.length > 0 ? reasons.join(" ") : t`Nothing needs attention.`}
      </Text>
      <div className={classes.figures} data-six>
        {figures.map((f) => (
          <div key={f.label} className={classes.figure}>
            <div className={classes.figureLabel}>{f.label}</div>
            <div className={classes.figureValue}>
              <Counted value={f.value} unit={f.unit} of={f.of} />
            </div>
          </div>
        ))}
      </div>
      <Text size="xs" c="dimmed" mt="xs">
        {howComputed()}
      </Text>
    </section>
  );
}
