// Working hours as they are typed, and days in words.
import type { Hours } from "../../../data/schedules";
import { locale } from "../../../texts";

// A time input does not accept 24:00, which the API uses for the end of a day.
export const toBox = (time: string) => (time === "24:00" ? "00:00" : time);
export const endFromBox = (time: string) => (time === "00:00" ? "24:00" : time);

/** Whether each has a beginning and an end. */
export function isComplete(hours: Hours): boolean {
  return hours.every((h) => h.from !== "" && h.to !== "");
}

const dates = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

/** A day without a time, which is the same day wherever it is read. */
export function dayInWords(date: string): string {
  return dates.format(new Date(date));
}

export const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((z) => z !== "UTC")];
