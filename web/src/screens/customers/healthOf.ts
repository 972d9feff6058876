// How a customer is doing, by a few numbers. docs/insights.md has the same words.

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

/** What is not well, each in a few words; the worst decides. */
export function healthOf(n: Numbers): { health: Health; reasons: string[] } {
  const bad: string[] = [];
  const mind: string[] = [];
  const late = `${n.breached} of their requests ${n.breached === 1 ? "was" : "were"} late`;
  if (n.breached >= poor.breached) bad.push(late);
  else if (n.breached >= watch.breached) mind.push(late);
  if (n.rating !== null && n.rating < poor.rating) bad.push("they rate us below 3");
  else if (n.rating !== null && n.rating < watch.rating) mind.push("they rate us below 4");
  if (n.open > watch.open) mind.push(`more than ${watch.open} requests are open`);
  if (n.asked >= watch.atLeast && n.asked >= watch.more * n.askedBefore) mind.push("they ask at least half as much again as before");
  return { health: bad.length > 0 ? "poor" : mind.length > 0 ? "watch" : "good", reasons: [...bad, ...mind] };
}

export const howComputed =
  "Poor: 3 or more late requests in 30 days, or an average rating below 3. Watch: a late request, a rating below 4, more than 5 open requests, or at least 5 requests and half as many again as in the 30 days before. Good otherwise.";
