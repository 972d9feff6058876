// Numbers as people read them.
import type { Target } from "../../data/explorations";
import type { Measure } from "../../data/insights";

export type Unit = Measure["unit"];

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const twoDigits = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** "8 min", "3 h 40 min", "2.5 d". */
export function minutes(m: number): string {
  if (m < 1 && m > 0) return "< 1 min";
  if (m < 60) return `${oneDigit.format(m)} min`;
  const rounded = Math.round(m);
  if (rounded < 24 * 60) return rounded % 60 === 0 ? `${rounded / 60} h` : `${Math.floor(rounded / 60)} h ${rounded % 60} min`;
  return `${oneDigit.format(m / 1440)} d`;
}

export function formatted(value: number | null, unit: Unit): string {
  if (value === null) return "–";
  switch (unit) {
    case "minutes":
      return minutes(value);
    case "percent":
      return `${oneDigit.format(value)} %`;
    case "points":
      return twoDigits.format(value);
    default:
      return whole.format(value);
  }
}

/** How much it has changed; null where that cannot be said. */
export function change(now: number | null, was: number | null, unit: Unit): { text: string; sign: -1 | 0 | 1 } | null {
  if (now === null || was === null) return null;
  const difference = now - was;
  const sign = Math.sign(difference) as -1 | 0 | 1;
  const plus = difference > 0 ? "+" : difference < 0 ? "−" : "±";
  if (unit === "percent") return { sign, text: `${plus}${oneDigit.format(Math.abs(difference))} points` };
  if (unit === "points") return { sign, text: `${plus}${twoDigits.format(Math.abs(difference))}` };
  if (was === 0) return null;
  return { sign, text: `${plus}${whole.format(Math.abs((difference / was) * 100))} %` };
}

/** A value of the API in words: in_progress is "In progress". */
export function inWords(value: string): string {
  const words = value.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A target in words: "at most 1 h". */
export function targetText(target: Target, unit: Unit): string {
  return `${target.bound === "at_most" ? "at most" : "at least"} ${formatted(target.value, unit)}`;
}
