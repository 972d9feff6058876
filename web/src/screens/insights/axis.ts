// Where the marks of a chart's axis are, and what they say. Each is a round number of
// its own: rounded for the eye alone, two marks could say the same.
import { type Unit, formatted, inDays, inHours, inMinutes } from "./format";

export type Axis = { ticks: number[]; label: (v: number) => string };

const most = 5;

// Steps that people count time in, in minutes; from ten days on, as other numbers.
const times = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7200];
const day = 1440;

/** Marks from 0 to at least this. */
export function axisOf(highest: number, unit: Unit): Axis {
  const step = stepOf(Math.max(highest, 0) / (most - 1), unit);
  const last = Math.max(1, Math.ceil(highest / step - 1e-9));
  const ticks = Array.from({ length: last + 1 }, (_, i) => Number((i * step).toFixed(6)));
  return { ticks, label: unit === "minutes" ? (v) => inTime(v, step) : (v) => formatted(v, unit) };
}

/** The smallest round step that is at least so large. */
function stepOf(least: number, unit: Unit): number {
  if (unit === "minutes") return times.find((t) => t >= least) ?? round(least / day) * day;
  // What is no time has so many digits behind the point: none, one, two.
  const finest = unit === undefined ? 1 : unit === "percent" ? 0.1 : 0.01;
  return Math.max(finest, round(least));
}

/** 1, 2 or 5, and noughts. */
function round(least: number): number {
  if (least <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(least) + 1e-9);
  return ([1, 2, 5].find((n) => n * power >= least - power * 1e-9) ?? 10) * power;
}

/** All marks in the unit of the step, so that they can be compared. */
function inTime(minutes: number, step: number): string {
  if (step >= day) return inDays(formatted(minutes / day, undefined));
  return step >= 60 ? inHours(formatted(minutes / 60, undefined)) : inMinutes(formatted(minutes, undefined));
}
