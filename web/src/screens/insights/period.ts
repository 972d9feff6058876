// Periods in days of the account's time zone, and the buckets in them.
import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { Query } from "../../data/insights";
import { addDays, atUTC, daysIn, isDay, toDay, today } from "../../parts/days";
import { locale } from "../../texts";

/** Two days, both included, as 2026-05-13. */
export type Period = { from: string; to: string };

export type Granularity = "day" | "week" | "month" | "quarter" | "year";

export const ranges = [
  { word: "7d", label: msg`Last 7 days` },
  { word: "30d", label: msg`Last 30 days` },
  { word: "90d", label: msg`Last 90 days` },
  { word: "this-month", label: msg`This month` },
  { word: "last-month", label: msg`Last month` },
  { word: "12m", label: msg`Last 12 months` },
] as const;

export const usualRange = "30d";

function monthOf(day: string, add: number): string {
  return toDay(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + add, 1));
}

/* eslint-disable lingui/no-unlocalized-strings -- the API speaks English */
/** The same ranges in the words of the API, which explorations and dashboards are saved with. */
const phrases: Record<string, string> = {
  "7d": "from 6 days ago to now",
  "30d": "from 29 days ago to now",
  "90d": "from 89 days ago to now",
  "this-month": "This month",
  "last-month": "Last month",
  "12m": "from 11 months ago to now",
};
/* eslint-enable lingui/no-unlocalized-strings */

export type DateRange = string | string[];

/** What the address bar says, in the words of the API. */
export function dateRangeOf(word: string | undefined): DateRange {
  const days = (word ?? "").split("..");
  return days.length === 2 ? days : (phrases[word ?? usualRange] ?? word ?? phrases[usualRange]!);
}

/** What the API says, as it stands in the address bar; undefined is the usual. */
export function rangeWordOf(range: DateRange | undefined): string | undefined {
  if (range === undefined) return undefined;
  if (typeof range !== "string") return range.join("..");
  const known = Object.entries(phrases).find(([, phrase]) => phrase.toLowerCase() === range.toLowerCase())?.[0];
  return known === usualRange ? undefined : (known ?? range);
}

const lengths = ["day", "week", "month", "quarter", "year"] as const;

/** A first day of a bucket, so many buckets later. */
function shifted(day: string, g: Granularity, by: number): string {
  if (g === "day" || g === "week") return addDays(day, by * (g === "day" ? 1 : 7));
  return monthOf(day, by * (g === "month" ? 1 : g === "quarter" ? 3 : 12));
}

/** The days of a phrase of the API, up to today; null where it is none. */
function phrasePeriod(phrase: string, to: string): Period | null {
  const said = phrase.toLowerCase().trim().split(/\s+/);
  if (said[0] === "today") return { from: to, to };
  if (said[0] === "yesterday") return { from: addDays(to, -1), to: addDays(to, -1) };
  const ago = said[0] === "from";
  const n = Number(ago || said.length === 3 ? said[1] : 1);
  const unit = (ago ? said[2] : said.at(-1))?.replace(/s$/, "");
  const g = lengths.find((l) => l === unit);
  if (!g || !Number.isInteger(n) || n < 1 || n > 4000) return null;
  const now = begin(to, g);
  if (ago) return { from: shifted(now, g, -n), to };
  return said[0] === "this" ? { from: now, to } : { from: shifted(now, g, -n), to: addDays(now, -1) };
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
      return phrasePeriod(word ?? "", to) ?? { from: addDays(to, -29), to };
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

const dayName = new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const monthName = new Intl.DateTimeFormat(locale, { timeZone: "UTC", month: "short", year: "numeric" });

export function bucketName(day: string, g: Granularity): string {
  switch (g) {
    case "day":
    case "week":
      return dayName.format(atUTC(day));
    case "month":
      return monthName.format(atUTC(day));
    case "quarter":
      return quarterName(Math.ceil(Number(day.slice(5, 7)) / 3), day.slice(0, 4));
    case "year":
      return day.slice(0, 4);
  }
}

const quarterName = (quarter: number, year: string) => t({ message: `Q${quarter} ${year}`, comment: "A quarter of a year" });

export function periodName({ from, to }: Period): string {
  const last = dayOfYear.format(atUTC(to));
  if (from === to) return last;
  const first = (from.slice(0, 4) === to.slice(0, 4) ? dayName : dayOfYear).format(atUTC(from));
  return t`${first} to ${last}`;
}

const each: Record<Granularity, { head: MessageDescriptor; choice: MessageDescriptor; by: MessageDescriptor }> = {
  day: { head: msg`Day`, choice: msg`By day`, by: msg`by day` },
  week: { head: msg({ message: "Week of", comment: "The head of a column with the first days of weeks" }), choice: msg`By week`, by: msg`by week` },
  month: { head: msg`Month`, choice: msg`By month`, by: msg`by month` },
  quarter: { head: msg`Quarter`, choice: msg`By quarter`, by: msg`by quarter` },
  year: { head: msg`Year`, choice: msg`By year`, by: msg`by year` },
};

/** The head of a column of buckets: "Week of". */
export const bucketHead = (g: Granularity) => i18n._(each[g].head);
/** "By week", to choose it. */
export const byEachChoice = (g: Granularity) => i18n._(each[g].choice);
/** "by week", behind what is counted. */
export const byEach = (g: Granularity) => i18n._(each[g].by);

export type TimeDimension = Query["time_dimensions"][number];
