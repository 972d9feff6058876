// Times as people say them. One clock for all of them, so that a list of fifty
// ages does not run fifty timers.
import { t } from "@lingui/core/macro";

import { useSyncExternalStore } from "react";
import { locale } from "../texts";
import { Tip } from "./Tip";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

function subscribe(l: () => void) {
  listeners.add(l);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const l of listeners) l();
  }, 15000);
  return () => {
    listeners.delete(l);
    if (listeners.size === 0) {
      window.clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The time of now, every quarter of a minute. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A length as in "8m", "3h 40m", "12d". */
export function shortLength(ms: number): string {
  const m = Math.floor(Math.abs(ms) / minute);
  if (m < 1) return t({ message: "now", context: "age" });
  if (m < 60) return t({ message: `${m}m`, context: "length" });
  const h = Math.floor(m / 60);
  const rest = m % 60;
  if (h < 10 && rest > 0) return t({ message: `${h}h ${rest}m`, context: "length" });
  if (h < 48) return t({ message: `${h}h`, context: "length" });
  const d = Math.floor(h / 24);
  return t({ message: `${d}d`, context: "length" });
}

const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const date = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const dateOfYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
const full = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "medium" });

export function fullTime(at: string | number): string {
  return full.format(new Date(at));
}

/** "09:12" today, "13 May" this year, "13 May 2025" else. */
export function pointInTime(at: string | number): string {
  const d = new Date(at);
  const today = new Date();
  if (d.toDateString() === today.toDateString()) return clock.format(d);
  return (d.getFullYear() === today.getFullYear() ? date : dateOfYear).format(d);
}

/** "13 May 09:12", for where the time of day matters, too. */
export function dateAndTime(at: string | number): string {
  const d = new Date(at);
  const today = new Date();
  const time = clock.format(d);
  if (d.toDateString() === today.toDateString()) return time;
  const day = (d.getFullYear() === today.getFullYear() ? date : dateOfYear).format(d);
  return `${day} ${time}`;
}

/** How long ago, with the full time for who points at it. */
export function Ago({ at }: { at: string }) {
  const then = Date.parse(at);
  const length = useNow() - then;
  return (
    <Tip label={fullTime(at)}>
      <time dateTime={at}>{length < 7 * day ? shortLength(Math.max(0, length)) : pointInTime(at)}</time>
    </Tip>
  );
}
