import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { type Query, full, insightsQuery, measured, numberOf, rowsByDay } from "../../data/insights";
import { useHasProfile, useMe } from "../../data/me";
import { Sparkline } from "../../parts/Sparkline";
import { Counted } from "../insights/Counted";
import type { Of } from "../insights/behind";
import type { Unit } from "../insights/format";
import { addDays, today } from "../../parts/days";
import { buckets, periodName } from "../insights/period";
import classes from "./Customers.module.css";

const weeks = 12;
const shown: { measure: string; label: MessageDescriptor; unit: Unit }[] = [
  { measure: "count", label: msg`Requests`, unit: undefined },
  { measure: "first_response_time_p50", label: msg`Median first response`, unit: "minutes" },
  { measure: "resolution_time_p50", label: msg`Median resolution`, unit: "minutes" },
  { measure: "csat_score_avg", label: msg`CSAT score`, unit: "points" },
];

/** How it went in the last weeks. */
export function Figures({ id }: { id: number }) {
  const zone = useMe()?.account.time_zone ?? "UTC";
  const profile = useHasProfile();
  const to = today(zone);
  const period = { from: addDays(to, 1 - 7 * weeks), to };
  const filters = [{ member: full("customer_id"), operator: "equals", values: [String(id)] }];
  const query = (granularity?: "week"): Query => ({
    measures: shown.map((s) => full(s.measure)),
    time_dimensions: [{ dimension: full("created_at"), date_range: [period.from, period.to], ...(granularity && { granularity }) }],
    filters,
  });
  const whole = useQuery({ ...insightsQuery(query()), enabled: profile === true });
  const series = useQuery({ ...insightsQuery(query("week")), enabled: profile === true });
  // Members without a chat profile may not read insights, but they can use the rest of the page.
  if (whole.isError || profile === false) return null;
  const byDay = rowsByDay(series.data ?? [], "created_at", "week");
  const of = (measure: string): Of => ({ measure, time: "created_at", period, zone, groups: [], filters });
  const title = t`Last ${weeks} weeks`;
  return (
    <section className={classes.block} aria-label={title}>
      <h2 className={classes.blockTitle}>
        {title} <span className={classes.period}>{periodName(period)}</span>
      </h2>
      <div className={classes.figures}>
        {shown.map((s) => {
          const measure = i18n._(s.label);
          return (
            <div key={s.measure} className={classes.figure}>
              <div className={classes.figureLabel}>{measure}</div>
              <div className={classes.figureValue}>
                <Counted value={numberOf(whole.data?.[0], s.measure)} unit={s.unit} of={of(s.measure)} />
              </div>
              <Sparkline values={series.data ? buckets(period, "week").map((day) => measured(byDay.get(day), s.measure, s.unit)) : []} label={t`${measure} by week`} />
            </div>
          );
        })}
      </div>
    </section>
  );
}
