// Days in the account's time zone, wherever the browser is. A day is 2026-05-13.
import { locale } from "../texts";

const dayLength = 86_400_000;
const dayForm = /^\d{4}-\d{2}-\d{2}$/;

export const atUTC = (day: string) => Date.parse(`${day}T00:00:00Z`);
export const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export const addDays = (day: string, n: number) => toDay(atUTC(day) + n * dayLength);
export const daysIn = ({ from, to }: { from: string; to: string }) => Math.round((atUTC(to) - atUTC(from)) / dayLength) + 1;

export function isDay(text: string): boolean {
  return dayForm.test(text) && !Number.isNaN(atUTC(text)) && toDay(atUTC(text)) === text;
}

/** What the clocks of a zone show, less the moment: how far it is ahead of UTC. */
function offset(zone: string, moment: number): number {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(moment);
  const part = (type: string) => Number(parts.find((p) => p.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second")) - Math.floor(moment / 1000) * 1000;
}

export function today(zone: string, now = Date.now()): string {
  return toDay(now + offset(zone, now));
}

/** The moment a day begins in a time zone. If daylight saving skips midnight, the moment after the gap; if midnight comes twice, the first. */
export function midnight(day: string, zone: string): number {
  const shown = atUTC(day);
  const candidates = [shown - offset(zone, shown - dayLength), shown - offset(zone, shown + dayLength)].sort((a, b) => a - b);
  return candidates.find((t) => t + offset(zone, t) === shown) ?? Math.max(...candidates);
}

// The API's filters `after` and `before` are moments, and strict: `after` a day's last
// millisecond is from the next day on.

/** The filter `after` of a list that begins with this day. */
export const afterOf = (first: string, zone: string) => new Date(midnight(first, zone) - 1).toISOString();

/** The filter `before` of a list that ends when this day begins. */
export const beforeOf = (day: string, zone: string) => new Date(midnight(day, zone)).toISOString();

/** The day with which a list with this `after` begins; null when it begins in the middle of one. */
export const firstDay = (after: string, zone: string) => dayOf(Date.parse(after) + 1, zone) ?? dayOf(Date.parse(after), zone);

/** The day before which a list with this `before` ends; null when it ends in the middle of one. */
export const endDay = (before: string, zone: string) => dayOf(Date.parse(before), zone);

/** The day that begins at this moment; null when none does. */
function dayOf(moment: number, zone: string): string | null {
  if (Number.isNaN(moment)) return null;
  const day = today(zone, moment);
  return midnight(day, zone) === moment ? day : null;
}

const ofThisYear = new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "short" });
const ofAnyYear = new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });

/** "13 May" this year, "13 May 2025" else. */
export const dayName = (day: string) => (day.slice(0, 4) === toDay(Date.now()).slice(0, 4) ? ofThisYear : ofAnyYear).format(atUTC(day));
