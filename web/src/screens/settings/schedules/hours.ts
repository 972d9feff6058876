// Working hours in words.
import { type Hours, type Schedule, type Weekday, weekdays } from "../../../data/schedules";

export const dayNames: Record<Weekday, string> = { monday: "Monday", tuesday: "Tuesday", wednesday: "Wednesday", thursday: "Thursday", friday: "Friday", saturday: "Saturday", sunday: "Sunday" };

/** "09:00–12:30, 13:30–17:00", or that it is closed. */
export function hoursInWords(hours: Hours): string {
  if (hours.length === 0) return "closed";
  return hours.map((h) => (h.from === "00:00" && isMidnight(h.to) ? "all day" : `${h.from}–${h.to}`)).join(", ");
}

/** "Monday to Friday 09:00–17:00; Saturday 10:00–12:00". */
export function weekInWords(week: Schedule["hours"]): string {
  const parts: { first: Weekday; last: Weekday; hours: string }[] = [];
  for (const day of weekdays) {
    const hours = hoursInWords(week[day]);
    const before = parts.at(-1);
    if (before && before.hours === hours) before.last = day;
    else parts.push({ first: day, last: day, hours });
  }
  const open = parts.filter((p) => p.hours !== "closed");
  return open.map((p) => `${p.first === p.last ? dayNames[p.first] : `${dayNames[p.first]} to ${dayNames[p.last]}`} ${p.hours}`).join("; ");
}

export function isMidnight(time: string): boolean {
  return time === "24:00" || time === "00:00";
}

// A time input does not accept 24:00, which the API uses for the end of a day.
export const toBox = (time: string) => (time === "24:00" ? "00:00" : time);
export const endFromBox = (time: string) => (time === "00:00" ? "24:00" : time);

/** Whether each has a beginning and an end. */
export function isComplete(hours: Hours): boolean {
  return hours.every((h) => h.from !== "" && h.to !== "");
}

const dates = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

/** A day without a time, which is the same day wherever it is read. */
export function dayInWords(date: string): string {
  return dates.format(new Date(`${date}T00:00:00Z`));
}

export const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((z) => z !== "UTC")];
