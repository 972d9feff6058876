// Periods in days of the account's time zone, and the buckets in them.
import type { Query } from "../../data/insights";
import { addDays, atUTC, daysIn, isDay, toDay, today } from "../../parts/days";

/** Two days, both included, as 2026-05-13. */
export type Period = { from: string; to: string };

export type Granularity = "day" | "week" | "month" | "quarter" | "year";

export const ranges = [
  { word: "7d", label: "Last 7 days" },
  { word: "30d", label: "Last 30 days" },
  { word: "90d", label: "Last 90 days" },
  { word: "this-month", label: "This month" },
  { word: "last-month", label: "Last month" },
  { word: "12m", label: "Last 12 months" },
] as const;

export const usualRange = "30d";

function monthOf(day: string, add: number): string {
  return toDay(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + add, 1));
}

/** What a word of the address bar stands for; what is none is the usual. */
export function periodOf(word: string | undefined, zone: string): Period {
  const to = today(zone);
  const [from, until] = (word ?? "").split("..");
  if (from && until && isDay(from) && isDay(until) && from <= until) return { from, to: until };
  switch (word) {
    case "7d":
      return { from: addDays(to, -6), to };
    case "90d":
      return { from: addDays(to, -89), to };
    case "this-month":
      return { from: monthOf(to, 0), to };
    case "last-month":
      return { from: monthOf(to, -1), to: addDays(monthOf(to, 0), -1) };
    case "12m":
      return { from: monthOf(to, -11), to };
    default:
      return { from: addDays(to, -29), to };
  }
}

/** As many days, right before. */
export function before(period: Period): Period {
  return { from: addDays(period.from, -daysIn(period)), to: addDays(period.from, -1) };
}

/** Buckets that are few enough to see, and many enough to see something. */
export function fitting(period: Period): Granularity {
  const days = daysIn(period);
  if (days <= 35) return "day";
  if (days <= 190) return "week";
  return days <= 1500 ? "month" : "year";
}

/** The first day of the bucket that a day lies in. */
function begin(day: string, g: Granularity): string {
  const month = Number(day.slice(5, 7));
  switch (g) {
    case "day":
      return day;
    case "week":
      return addDays(day, -((new Date(atUTC(day)).getUTCDay() + 6) % 7));
    case "month":
      return monthOf(day, 0);
    case "quarter":
      return monthOf(day, -((month - 1) % 3));
    case "year":
      return monthOf(day, 1 - month);
  }
}

function next(day: string, g: Granularity): string {
  switch (g) {
    case "day":
      return addDays(day, 1);
    case "week":
      return addDays(day, 7);
    case "month":
      return monthOf(day, 1);
    case "quarter":
      return monthOf(day, 3);
    case "year":
      return monthOf(day, 12);
  }
}

/** The first days of all buckets of a period: rows leave out those without a request. */
export function buckets(period: Period, g: Granularity): string[] {
  const all: string[] = [];
  for (let day = begin(period.from, g); day <= period.to && all.length < 4000; day = next(day, g)) all.push(day);
  return all;
}

/** The days of a bucket that are in the period. */
export function bucketPeriod(day: string, g: Granularity, period: Period): Period {
  const last = addDays(next(day, g), -1);
  return { from: day > period.from ? day : period.from, to: last < period.to ? last : period.to };
}

const dayName = new Intl.DateTimeFormat(undefined, { timeZone: "UTC", day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat(undefined, { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const monthName = new Intl.DateTimeFormat(undefined, { timeZone: "UTC", month: "short", year: "numeric" });

export function bucketName(day: string, g: Granularity): string {
  switch (g) {
    case "day":
    case "week":
      return dayName.format(atUTC(day));
    case "month":
      return monthName.format(atUTC(day));
    case "quarter":
      return `Q${Math.ceil(Number(day.slice(5, 7)) / 3)} ${day.slice(0, 4)}`;
    case "year":
      return day.slice(0, 4);
  }
}

export function periodName({ from, to }: Period): string {
  return from === to ? dayOfYear.format(atUTC(from)) : `${(from.slice(0, 4) === to.slice(0, 4) ? dayName : dayOfYear).format(atUTC(from))} to ${dayOfYear.format(atUTC(to))}`;
}

export type TimeDimension = Query["time_dimensions"][number];
