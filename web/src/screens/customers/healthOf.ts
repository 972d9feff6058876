// How a customer is doing, by a few numbers. docs/insights.md has the same rules.
import { plural, t } from "@lingui/core/macro";

export type Numbers = {
  /** Open requests now. */
  open: number;
  /** Requests of the last 30 days, and of the 30 days before. */
  asked: number;
  askedBefore: number;
  /** Those of the last 30 days whose first response or resolution was too late. */
  breached: number;
  /** The average rating of the last 30 days, from 1 to 5; null without ratings. */
  rating: number | null;
};

export type Health = "good" | "watch" | "poor";

/** From how many late requests on, and below which rating. */
const poor = { breached: 3, rating: 3 };
const watch = { breached: 1, rating: 4, open: 5, more: 1.5, atLeast: 5 };

/** What is not well, each in a sentence; the worst decides. */
export function healthOf(n: Numbers): { health: Health; reasons: string[] } {
  const bad: string[] = [];
  const mind: string[] = [];
  const { breached } = n;
  const late = t`${plural(breached, { one: "# of their requests was late.", other: "# of their requests were late." })}`;
  if (n.breached >= poor.breached) bad.push(late);
  else if (n.breached >= watch.breached) mind.push(late);
  if (n.rating !== null && n.rating < poor.rating) bad.push(t`They rate us below 3.`);
  else if (n.rating !== null && n.rating < watch.rating) mind.push(t`They rate us below 4.`);
  const most = watch.open;
  if (n.open > most) mind.push(t`More than ${most} requests are open.`);
  if (n.asked >= watch.atLeast && n.asked >= watch.more * n.askedBefore) mind.push(t`They ask at least 50% more than before.`);
  return { health: bad.length > 0 ? "poor" : mind.length > 0 ? "watch" : "good", reasons: [...bad, ...mind] };
}

export const howComputed = () =>
  t`Poor: 3 or more late requests in 30 days, or an average rating below 3. Watch: 1 or 2 late requests, an average rating below 4, more than 5 open requests, or at least 5 requests and 50% more than in the 30 days before. Good: everything else.`;
