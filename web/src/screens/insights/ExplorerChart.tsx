import { t } from "@lingui/core/macro";
import { type Meta, type Row, type Value, dayOf, full, measured, numberOf, short, valueOf } from "../../data/insights";
import { Chart, type Point, type Series, type TargetLine } from "./Chart";
import { isLate, mostSeries } from "./colours";
import { type Unit, targetText } from "./format";
import classes from "./Insights.module.css";
import { type Names, measureTitle, titleOf } from "./names";
import { type Period, bucketName, buckets, byEach } from "./period";
import { beforeQuery, previousOf, useBefore } from "./previous";
import { type Question, isMissed } from "./question";

const mostBars = 20;

/** How a question is drawn if nobody chose: lengths and groups over time as lines, counts as bars. */
export function fittingChart({ each, by, measures }: Question, meta: Meta): "line" | "bar" {
  const unit = meta.measures.find((m) => m.name === full(measures[0] ?? "count"))?.unit;
  return each && (unit !== undefined || by.length > 0) ? "line" : "bar";
}

/** The line of the target, if its measure is drawn. */
function targetLine({ target }: Question, drawn: string[], byGroup: boolean, points: Point[], series: Series[], unit: Unit): TargetLine | null {
  const measure = target && short(target.measure);
  if (!target || !measure || !drawn.includes(measure) || (byGroup && drawn[0] !== measure)) return null;
  const names = byGroup ? series.map((s) => s.name) : [measure];
  const missed = points.some((p) => names.some((n) => isMissed(target, measure, p[n] as number | null)));
  return { value: target.value, missed, label: targetText(target, unit) };
}

const onlyLargest = (shown: number, all: number) => t`The chart shows the ${shown} largest of ${all} groups. The table shows all.`;

/** The rows as a picture: over time, or side by side. */
export function ExplorerChart({
  question,
  rows,
  meta,
  period,
  names,
  title: heading,
  height = 340,
}: {
  question: Question;
  rows: Row[];
  meta: Meta;
  period: Period;
  names: Names;
  /** Instead of what it shows. */
  title?: string;
  height?: number;
}) {
  const { by, each, time, measures } = question;
  const measure = (name: string) => meta.measures.find((m) => m.name === full(name));
  const first = measures[0] ?? "count";
  const unit = measure(first)?.unit;
  const title = (name: string) => measureTitle(name, meta);
  // Minutes and per cent have no axis in common.
  const drawn = measures.filter((m) => measure(m)?.unit === unit).slice(0, mostSeries);
  const groupOf = (row: Row) => by.map((d) => names(d, valueOf(row, d))).join(" · ");
  const keyOf = (row: Row) => JSON.stringify(by.map((d) => valueOf(row, d)));

  const { rows: past, wanting } = useBefore(beforeQuery(question, period));
  const previous = previousOf(question, period, past);
  let groups: Value[][] = []; // of the points, or of the series of a chart over time

  let series: Series[] = drawn.map((m) => ({ name: m, label: title(m) }));
  let points: Point[];
  let left = measures.length - drawn.length > 0 ? t`The chart shows measures with the same unit as the first. The table shows all.` : "";
  if (each && by.length > 0) {
    // One line for each of the largest groups.
    const sums = new Map<string, { label: string; sum: number }>();
    for (const row of rows) {
      const group = sums.get(keyOf(row)) ?? { label: groupOf(row), sum: 0 };
      group.sum += numberOf(row, first) ?? 0;
      sums.set(keyOf(row), group);
    }
    const largest = [...sums].toSorted(([, a], [, b]) => b.sum - a.sum).slice(0, mostSeries);
    groups = largest.map(([key]) => JSON.parse(key) as Value[]);
    series = largest.map(([key, { label }]) => ({ name: key, label }));
    const cells = new Map(rows.map((r) => [`${dayOf(r, time, each)} ${keyOf(r)}`, r]));
    points = buckets(period, each).map((day) => ({ x: bucketName(day, each), ...Object.fromEntries(largest.map(([key]) => [key, measured(cells.get(`${day} ${key}`), first, unit)])) }));
    if (sums.size > mostSeries) left = onlyLargest(mostSeries, sums.size);
    else if (measures.length > 1) left = t`The chart shows the first measure. The table shows all.`;
  } else if (each) {
    const byDay = new Map(rows.map((r) => [dayOf(r, time, each), r]));
    points = buckets(period, each).map((day) => ({ x: bucketName(day, each), ...Object.fromEntries(drawn.map((m) => [m, measured(byDay.get(day), m, unit)])) }));
  } else {
    const largest = rows.toSorted((a, b) => (numberOf(b, first) ?? -1) - (numberOf(a, first) ?? -1)).slice(0, mostBars);
    groups = largest.map((row) => by.map((d) => valueOf(row, d)));
    points = largest.map((row) => ({ x: by.length > 0 ? groupOf(row) : t({ message: "All", context: "requests" }), ...Object.fromEntries(drawn.map((m) => [m, numberOf(row, m)])) }));
    if (rows.length > mostBars) left = onlyLargest(mostBars, rows.length);
  }
  const counted = drawn.map(title).join(", ");
  const groupedBy = by.map((d) => titleOf(d, meta.dimensions)).join(", ");
  const said = by.length > 0 ? t({ message: `${counted} by ${groupedBy}`, comment: "What a chart shows: Requests by Priority" }) : counted;
  const byGroup = each !== null && by.length > 0;
  const was =
    previous &&
    ((index: number, name: string) =>
      byGroup ? previous(groups[series.findIndex((s) => s.name === name)] ?? [], index, first, unit) : each ? previous([], index, name, unit) : previous(groups[index] ?? [], 0, name, unit));
  return (
    <section className={classes.card} aria-label={heading ?? t`Chart`} {...wanting}>
      <h2 className={classes.cardTitle} dir={heading ? "auto" : undefined}>
        {heading ?? said} {each && <span className={classes.faint}>{byEach(each)}</span>}
      </h2>
      {left && <p className={classes.faint}>{left}</p>}
      <Chart
        kind={each ? (question.chart === "line" || question.chart === "bar" ? question.chart : fittingChart(question, meta) === "line" ? "line" : "bar") : "lying"}
        late={byGroup && isLate(first)}
        target={targetLine(question, drawn, byGroup, points, series, unit)}
        was={was}
        points={points}
        series={series}
        unit={unit}
        label={t`${said}. The table shows the same numbers.`}
        height={each ? height : Math.max(120, 60 + points.length * (14 + 12 * series.length))}
      />
    </section>
  );
}
