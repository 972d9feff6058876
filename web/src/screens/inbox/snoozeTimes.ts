// The times that people snooze until most often, in the account's time zone.
import { addDays, midnight, today } from "../../parts/days";

export type SnoozeTime = { label: string; at: number };

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
  const tomorrow = { label: "Tomorrow morning", at: nine(addDays(day, 1), zone) };
  const monday = { label: "Monday morning", at: nine(addDays(day, (8 - weekday) % 7 || 7), zone) };
  return [{ label: "Later today", at: now + 3 * hour }, tomorrow, ...(monday.at === tomorrow.at ? [] : [monday]), { label: "In a week", at: nine(addDays(day, 7), zone) }].map((t) =>
    t.label === "Later today" && today(zone, t.at) !== day ? { ...t, label: "In three hours" } : t,
  );
}
