// Bars and lines. Recharts is large and comes with this screen only.
import "@mantine/charts/styles.css";
import { BarChart, LineChart } from "@mantine/charts";

export type Series = { name: string; label: string };
export type Point = { x: string } & Record<string, string | number | null>;

const colours = ["accent.5", "teal.6", "orange.6", "grape.5", "cyan.6", "pink.5", "lime.7", "gray.6"];
export const mostSeries = colours.length;

export function Chart({ kind, stacked = false, points, series, format, axis = format, label, height = 240, pick }: {
  kind: "bar" | "line";
  stacked?: boolean;
  points: Point[];
  series: Series[];
  format: (v: number) => string;
  /** The same, shorter. */
  axis?: (v: number) => string;
  /** What the chart shows, for who does not see it. */
  label: string;
  height?: number;
  /** Opens what is behind a point; the table beside does that for the keyboard. */
  pick?: (index: number) => void;
}) {
  const shared = {
    h: height,
    data: points,
    dataKey: "x",
    series: series.map((s, i) => ({ name: s.name, label: s.label, color: colours[i % colours.length] ?? "accent.5" })),
    valueFormatter: format,
    withLegend: series.length > 1,
    legendProps: { verticalAlign: "bottom" as const },
    accessibilityLayer: false,
    gridAxis: "x" as const,
    tickLine: "none" as const,
    textColor: "var(--faint)",
    gridColor: "var(--line)",
    yAxisProps: { width: 60, tickCount: 5, tickFormatter: axis },
    xAxisProps: { minTickGap: 16 },
  };
  const onClick = (state: { activeIndex?: number | string | null | undefined }) => {
    const index = Number(state.activeIndex);
    if (state.activeIndex !== null && state.activeIndex !== undefined && !Number.isNaN(index)) pick?.(index);
  };
  return (
    <div role="img" aria-label={label} style={pick ? { cursor: "pointer" } : undefined}>
      {kind === "bar" ? (
        <BarChart {...shared} type={stacked ? "stacked" : "default"} maxBarWidth={40} barChartProps={{ onClick }} />
      ) : (
        <LineChart {...shared} curveType="linear" strokeWidth={2} connectNulls dotProps={{ r: 2 }} lineChartProps={{ onClick }} />
      )}
    </div>
  );
}
