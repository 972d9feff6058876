import { type MessageDescriptor, i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { SegmentedControl, Table } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { type Meta, type Query, type Row, full, measured, rowsByDay } from "../../data/insights";
import { Chart, type Point } from "./Chart";
import classes from "./Insights.module.css";
import { Counted } from "./Counted";
import { type Of, behind } from "./behind";
import { useBefore } from "./previous";
import { type Granularity, type Period, before, bucketHead, bucketName, bucketPeriod, buckets, byEach } from "./period";

/** The same measures of the time before. */
function beforeQueryOf({ period, filters }: Of, measures: { measure: string }[], granularity: Granularity): Query {
  const { from, to } = before(period!);
  return { measures: measures.map((m) => full(m.measure)), time_dimensions: [{ dimension: full("created_at"), date_range: [from, to], granularity }], ...(filters.length > 0 && { filters }) };
}

/** Some measures by day, week or month, as a picture or in figures. */
export function OverTime({
  title,
  kind,
  measures,
  rows,
  meta,
  period,
  granularity,
  of,
}: {
  title: string;
  kind: "bar" | "line";
  measures: { measure: string; label: MessageDescriptor }[];
  rows: Row[];
  meta: Meta | undefined;
  period: Period;
  granularity: Granularity;
  of: (part: Partial<Of>) => Of;
}) {
  const [shown, setShown] = useState<"chart" | "table">("chart");
  const router = useRouter();
  const unit = meta?.measures.find((m) => m.name === full(measures[0]?.measure ?? ""))?.unit;
  const byDay = rowsByDay(rows, "created_at", granularity);
  const days = buckets(period, granularity);
  const by = byEach(granularity);
  const value = (day: string, measure: string) => measured(byDay.get(day), measure, unit);
  const points: Point[] = days.map((day) => ({ x: bucketName(day, granularity), ...Object.fromEntries(measures.map((m) => [m.measure, value(day, m.measure)])) }));
  const { rows: past, wanting } = useBefore(beforeQueryOf(of({}), measures, granularity));
  const pastByDay = past && rowsByDay(past, "created_at", granularity);
  const pastDays = buckets(before(period), granularity);
  const was = pastByDay && ((i: number, measure: string) => (pastDays[i] ? measured(pastByDay.get(pastDays[i]), measure, unit) : null));
  const at = (day: string, measure: string) => of({ measure, period: bucketPeriod(day, granularity, period) });
  return (
    <section className={classes.card} aria-label={title} {...wanting}>
      <div className={classes.cardHead}>
        <h2 className={classes.cardTitle}>
          {title} <span className={classes.faint}>{by}</span>
        </h2>
        <SegmentedControl
          size="xs"
          aria-label={t`Show ${title} as`}
          value={shown}
          onChange={(v) => setShown(v === "table" ? "table" : "chart")}
          data={[
            { value: "chart", label: t`Chart` },
            { value: "table", label: t`Table` },
          ]}
        />
      </div>
      {shown === "chart" ? (
        <Chart
          kind={kind}
          points={points}
          series={measures.map((m) => ({ name: m.measure, label: i18n._(m.label) }))}
          unit={unit}
          was={was}
          label={t({ message: `${title} ${by}. The table shows the same numbers.`, comment: "What a chart shows: SLA breaches by week." })}
          pick={(i) => {
            const day = days[i];
            if (day) router.history.push(behind(at(day, measures[0]?.measure ?? "count")).href);
          }}
        />
      ) : (
        <div className={classes.scroll}>
          <Table stickyHeader verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{bucketHead(granularity)}</Table.Th>
                {measures.map((m) => (
                  <Table.Th key={m.measure} ta="right">
                    {i18n._(m.label)}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {days.map((day, i) => (
                <Table.Tr key={day}>
                  <Table.Td>{bucketName(day, granularity)}</Table.Td>
                  {measures.map((m) => (
                    <Table.Td key={m.measure} ta="right">
                      <Counted value={value(day, m.measure)} unit={unit} was={was?.(i, m.measure)} of={at(day, m.measure)} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </section>
  );
}
