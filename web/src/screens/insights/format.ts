// Numbers as people read them.
import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { Target } from "../../data/explorations";
import type { Measure } from "../../data/insights";
import { locale } from "../../texts";

export type Unit = Measure["unit"];

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const twoDigits = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const inMinutes = (minutes: string) => t`${minutes} min`;
export const inHours = (hours: string) => t`${hours} h`;
export const inDays = (days: string) => t({ message: `${days} d`, comment: "So many days, as short as it can be said" });

/** "8 min", "3 h 40 min", "2.5 d". */
export function minutes(m: number): string {
  if (m < 1 && m > 0) return `< ${inMinutes("1")}`;
  if (m < 60) return inMinutes(oneDigit.format(m));
  const rounded = Math.round(m);
  const left = rounded % 60;
  if (rounded < 24 * 60) return `${inHours(String(Math.floor(rounded / 60)))}${left === 0 ? "" : ` ${inMinutes(String(left))}`}`;
  return inDays(oneDigit.format(m / 1440));
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
  if (unit === "percent") {
    const points = `${plus}${oneDigit.format(Math.abs(difference))}`;
    return { sign, text: t({ message: `${points} points`, comment: "So many percentage points more or less than before" }) };
  }
  if (unit === "points") return { sign, text: `${plus}${twoDigits.format(Math.abs(difference))}` };
  if (was === 0) return null;
  return { sign, text: `${plus}${whole.format(Math.abs((difference / was) * 100))} %` };
}

const values: Record<string, MessageDescriptor> = {
  open: msg({ message: "Open", context: "state" }),
  in_progress: msg({ message: "In progress", context: "state" }),
  pending: msg({ message: "Pending", context: "state" }),
  on_hold: msg({ message: "On hold", context: "state" }),
  solved: msg({ message: "Solved", context: "state" }),
  closed: msg({ message: "Closed", context: "state" }),
  low: msg({ message: "Low", context: "priority" }),
  normal: msg({ message: "Normal", context: "priority" }),
  high: msg({ message: "High", context: "priority" }),
  urgent: msg({ message: "Urgent", context: "priority" }),
  true: msg`Yes`,
  false: msg`No`,
};

/** A value of the API in words: in_progress is "In progress". */
export function inWords(value: string): string {
  const known = values[value];
  if (known) return i18n._(known);
  const words = value.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "Target: at most 1 h". */
export function targetText(target: Target, unit: Unit): string {
  const value = formatted(target.value, unit);
  return target.bound === "at_most" ? t`Target: at most ${value}` : t`Target: at least ${value}`;
}
