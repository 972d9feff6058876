// Working hours in words.
import { t } from "@lingui/core/macro";
import { type Hours, type Schedule, type Weekday, weekdays } from "../data/schedules";
import { locale } from "../texts";

/** What a week's days are called, in full or in short. The first of January 2024 was a Monday. */
function names(weekday: "long" | "short"): Record<Weekday, string> {
  const format = new Intl.DateTimeFormat(locale, { timeZone: "UTC", weekday });
  return Object.fromEntries(weekdays.map((day, i) => [day, format.format(Date.UTC(2024, 0, 1 + i))])) as Record<Weekday, string>;
}

export const dayNames = names("long");
const shortNames = names("short");

/** "09:00–12:30, 13:30–17:00", or that it is closed. */
export function hoursInWords(hours: Hours): string {
  if (hours.length === 0) return t({ message: "closed", context: "working hours" });
  return hours.map((h) => (h.from === "00:00" && isMidnight(h.to) ? t({ message: "all day", context: "working hours" }) : `${h.from}–${h.to}`)).join(", ");
}

/** "Monday to Friday 09:00–17:00; Saturday 10:00–12:00", or in short "Mon–Fri 09:00–17:00; Sat 10:00–12:00". */
export function weekInWords(week: Schedule["hours"], short = false): string {
  const name = short ? shortNames : dayNames;
  const parts: { first: Weekday; last: Weekday; hours: string }[] = [];
  for (const day of weekdays) {
    const hours = hoursInWords(week[day]);
    const before = parts.at(-1);
    if (before && before.hours === hours) before.last = day;
    else parts.push({ first: day, last: day, hours });
  }
  const open = parts.filter((p) => week[p.first].length > 0);
  return open
    .map(({ first: from, last: to, hours }) => {
      const [first, last] = [name[from], name[to]];
      if (from === to) return `${first} ${hours}`;
      return short ? `${first}–${last} ${hours}` : t({ message: `${first} to ${last} ${hours}`, comment: "Monday to Friday 09:00–17:00" });
    })
    .join("; ");
}

export function isMidnight(time: string): boolean {
  return time === "24:00" || time === "00:00";
}
