// Working hours in words.
import { type Hours, type Schedule, type Weekday, weekdays } from "../data/schedules";

export const dayNames: Record<Weekday, string> = { monday: "Monday", tuesday: "Tuesday", wednesday: "Wednesday", thursday: "Thursday", friday: "Friday", saturday: "Saturday", sunday: "Sunday" };

/** "09:00–12:30, 13:30–17:00", or that it is closed. */
export function hoursInWords(hours: Hours): string {
  if (hours.length === 0) return "closed";
  return hours.map((h) => (h.from === "00:00" && isMidnight(h.to) ? "all day" : `${h.from}–${h.to}`)).join(", ");
}

/** "Monday to Friday 09:00–17:00; Saturday 10:00–12:00", or in short "Mon–Fri 09:00–17:00; Sat 10:00–12:00". */
export function weekInWords(week: Schedule["hours"], short = false): string {
  const name = (day: Weekday) => (short ? dayNames[day].slice(0, 3) : dayNames[day]);
  const parts: { first: Weekday; last: Weekday; hours: string }[] = [];
  for (const day of weekdays) {
    const hours = hoursInWords(week[day]);
    const before = parts.at(-1);
    if (before && before.hours === hours) before.last = day;
    else parts.push({ first: day, last: day, hours });
  }
  const open = parts.filter((p) => p.hours !== "closed");
  return open.map((p) => `${p.first === p.last ? name(p.first) : `${name(p.first)}${short ? "–" : " to "}${name(p.last)}`} ${p.hours}`).join("; ");
}

export function isMidnight(time: string): boolean {
  return time === "24:00" || time === "00:00";
}
