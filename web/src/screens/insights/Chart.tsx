// Bars and lines. Recharts is large and comes with this screen only.
import { t } from "@lingui/core/macro";
import "@mantine/charts/styles.css";
import { BarChart, LineChart } from "@mantine/charts";
import { axisOf } from "./axis";
import { coloursOf } from "./colours";
import { type Unit, formatted } from "./format";
import classes from "./Insights.module.css";

export type Series = { name: string; label: string };
/** A line at a number, which is coloured only where it is missed. */
export type TargetLine = { value: number; label: string; missed: boolean };
export type Point = { x: string } & Record<string, string | number | null>;

const said = (before: string) => t`before: ${before}`;

export function Chart({
  kind,
  points,
  series,
  unit,
  label,
  height = 240,
  late = false,
  target,
  was,
  pick,
}: {
  /** Bars stand for parts of time; groups lie, since their names are long. */
  kind: "bar" | "line" | "lying";
  points: Point[];
  series: Series[];
  unit: Unit;
  /** What the chart shows, for who does not see it. */
  label: string;
  height?: number;
  /** The series are groups of a measure that counts what is late. */
  late?: boolean;
  target?: TargetLine | null;
  /** The number of a series at the same place of the time before; undefined until it is known. */
  was?: ((index: number, series: string) => number | null) | undefined;
  /** Opens what is behind a point; the table beside does that for the keyboard. */
  pick?: (index: number) => void;
}) {
  const colours = coloursOf(
    series.map((s) => s.name),
    late,
  );
  const highest = Math.max(0, target?.value ?? 0, ...points.flatMap((p) => series.map((s) => Number(p[s.name] ?? 0))));
  const { ticks, label: tickFormatter } = axisOf(highest, unit);
  const numbers = { ticks, domain: [0, ticks.at(-1)!] as [number, number], interval: 0, tickFormatter };
  const shared = {
    h: height,
    data: points,
    dataKey: "x",
    series: series.map((s, i) => ({ name: s.name, label: s.label, color: colours[i]! })),
    valueFormatter: (v: number) => formatted(v, unit),
    withLegend: series.length > 1,
    legendProps: { verticalAlign: "bottom" as const, itemSorter: null },
    accessibilityLayer: false,
    gridAxis: kind === "lying" ? ("y" as const) : ("x" as const),
    tickLine: "none" as const,
    textColor: "var(--faint)",
    gridColor: "var(--line)",
    ...(target && {
      referenceLines: [
        {
          [kind === "lying" ? "x" : "y"]: target.value,
          label: target.label,
          color: target.missed ? "var(--bad)" : "var(--faint)",
          labelPosition: kind === "lying" ? ("insideTopRight" as const) : ("insideBottomRight" as const),
        },
      ],
    }),
    tooltipProps: {
      content: ({ label: at, active }: { label?: string | number | undefined; active?: boolean }) => {
        const index = points.findIndex((p) => p.x === at);
        const point = points[index];
        if (!active || !point) return null;
        return (
          <div className={classes.tooltip} data-tooltip>
            <b dir="auto">{point.x}</b>
            <table>
              <tbody>
                {series.map((s) => (
                  <tr key={s.name}>
                    <td dir="auto">{s.label}</td>
                    <td>{formatted(point[s.name] as number | null, unit)}</td>
                    <td className={classes.faint}>{was ? said(formatted(was(index, s.name), unit)) : ""}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        );
      },
    },
    yAxisProps: kind === "lying" ? { width: 150, interval: 0 } : { width: 60, ...numbers },
    xAxisProps: kind === "lying" ? numbers : { minTickGap: 16 },
  };
  const onClick = (state: { activeIndex?: number | string | null | undefined }) => {
    const index = Number(state.activeIndex);
    if (state.activeIndex !== null && state.activeIndex !== undefined && !Number.isNaN(index)) pick?.(index);
  };
  return (
    <div role="img" aria-label={label} style={pick ? { cursor: "pointer" } : undefined}>
      {kind === "line" ? (
        <LineChart {...shared} curveType="linear" strokeWidth={2} connectNulls dotProps={{ r: 2 }} lineChartProps={{ onClick }} />
      ) : (
        <BarChart {...shared} orientation={kind === "lying" ? "vertical" : "horizontal"} maxBarWidth={40} barChartProps={{ onClick }} />
      )}
    </div>
  );
}
