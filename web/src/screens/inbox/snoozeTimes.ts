// The times that people snooze until most often, in the account's time zone.
import { addDays, midnight, today } from "../../parts/days";

/** `soon` is in three hours, if that is not today any more; otherwise that is `later`. */
export type SnoozeTime = { when: "later" | "soon" | "tomorrow" | "monday" | "week"; at: number };

const hour = 3_600_000;
const morning = 9;

/** Nine o'clock of a day, also of one on which the clocks change during the night. */
function nine(day: string, zone: string): number {
  const guess = midnight(day, zone) + morning * hour;
  const shown = Number(new Intl.DateTimeFormat("en", { timeZone: zone, hour: "numeric", hourCycle: "h23" }).format(guess));
  return guess + (morning - shown) * hour;
}

/** The times to choose from, now. A time that another one already is, is left out. */
export function snoozeTimes(zone: string, now: number): SnoozeTime[] {
  const day = today(zone, now);
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  const later = now + 3 * hour;
  const tomorrow = nine(addDays(day, 1), zone);
  const monday = nine(addDays(day, (8 - weekday) % 7 || 7), zone);
  return [
    { when: today(zone, later) === day ? "later" : "soon", at: later },
    { when: "tomorrow", at: tomorrow },
    ...(monday === tomorrow ? [] : [{ when: "monday", at: monday } as const]),
    { when: "week", at: nine(addDays(day, 7), zone) },
  ];
}
