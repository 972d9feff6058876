import { type Meta, type Row, dayOf, full, measured, numberOf, valueOf } from "../../data/insights";
import { Chart, type Point, type Series } from "./Chart";
import { mostSeries } from "./colours";
import classes from "./Insights.module.css";
import { type Names, titleOf } from "./names";
import { type Period, bucketName, buckets } from "./period";
import type { Question } from "./question";

const mostBars = 20;

/** The rows as a picture: over time, or side by side. */
export function ExplorerChart({ question, rows, meta, period, names }: { question: Question; rows: Row[]; meta: Meta; period: Period; names: Names }) {
  const { by, each, time, measures } = question;
  const measure = (name: string) => meta.measures.find((m) => m.name === full(name));
  const first = measures[0] ?? "count";
  const unit = measure(first)?.unit;
  const title = (name: string) => (name === "count" ? "Requests" : (measure(name)?.title ?? name));
  // Minutes and per cent have no axis in common.
  const drawn = measures.filter((m) => measure(m)?.unit === unit).slice(0, mostSeries);
  const groupOf = (row: Row) => by.map((d) => names(d, valueOf(row, d))).join(" · ");
  const keyOf = (row: Row) => JSON.stringify(by.map((d) => valueOf(row, d)));

  let series: Series[] = drawn.map((m) => ({ name: m, label: title(m) }));
  let points: Point[];
  let left = measures.length - drawn.length > 0 ? "The chart shows measures with the same unit as the first. The table shows all." : "";
  if (each && by.length > 0) {
    // One line for each of the largest groups.
    const sums = new Map<string, { label: string; sum: number }>();
    for (const row of rows) {
      const group = sums.get(keyOf(row)) ?? { label: groupOf(row), sum: 0 };
      group.sum += numberOf(row, first) ?? 0;
      sums.set(keyOf(row), group);
    }
    const largest = [...sums].toSorted(([, a], [, b]) => b.sum - a.sum).slice(0, mostSeries);
    series = largest.map(([key, { label }]) => ({ name: key, label }));
    const cells = new Map(rows.map((r) => [`${dayOf(r, time, each)} ${keyOf(r)}`, r]));
    points = buckets(period, each).map((day) => ({ x: bucketName(day, each), ...Object.fromEntries(largest.map(([key]) => [key, measured(cells.get(`${day} ${key}`), first, unit)])) }));
    if (sums.size > mostSeries) left = `The chart shows the ${mostSeries} largest of ${sums.size} groups. The table shows all.`;
    else if (measures.length > 1) left = "The chart shows the first measure. The table shows all.";
  } else if (each) {
    const byDay = new Map(rows.map((r) => [dayOf(r, time, each), r]));
    points = buckets(period, each).map((day) => ({ x: bucketName(day, each), ...Object.fromEntries(drawn.map((m) => [m, measured(byDay.get(day), m, unit)])) }));
  } else {
    const largest = rows.toSorted((a, b) => (numberOf(b, first) ?? -1) - (numberOf(a, first) ?? -1)).slice(0, mostBars);
    points = largest.map((row) => ({ x: by.length > 0 ? groupOf(row) : "All", ...Object.fromEntries(drawn.map((m) => [m, numberOf(row, m)])) }));
    if (rows.length > mostBars) left = `The chart shows the ${mostBars} largest of ${rows.length} groups. The table shows all.`;
  }
  const said = `${drawn.map(title).join(", ")}${by.length > 0 ? ` by ${by.map((d) => titleOf(d, meta.dimensions)).join(", ")}` : ""}`;
  return (
    <section className={classes.card} aria-label="Chart">
      <h2 className={classes.cardTitle}>
        {said} {each && <span className={classes.faint}>by {each}</span>}
      </h2>
      {left && <p className={classes.faint}>{left}</p>}
      <Chart
        kind={each ? (unit !== undefined || by.length > 0 ? "line" : "bar") : "lying"}
        points={points}
        series={series}
        unit={unit}
        label={`${said}. The table shows the same numbers.`}
        height={each ? 340 : Math.max(120, 60 + points.length * (14 + 12 * series.length))}
      />
    </section>
  );
}
