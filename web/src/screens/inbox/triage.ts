// The filters and orders that only lists of unsolved requests have.
import type { Filters } from "./filters";

export type TriageFilters = {
  sort?: string;
  sla?: string;
  due_within?: string;
  source?: string;
  category?: string;
  sentiment?: string;
  emotion?: string;
  custom_field?: string;
};

export const triageNames = ["sla", "due_within", "source", "category", "sentiment", "emotion", "custom_field", "sort"] as const;

const unsolvedStates = ["unsolved", "open", "in_progress", "pending", "on_hold"];

/** Whether a list has only unsolved requests. */
export function onlyUnsolved(filters: Filters): boolean {
  return filters.state !== undefined && filters.state.split(",").every((s) => unsolvedStates.includes(s));
}

/** Filters as the API takes them: an order for unsolved requests goes when others are listed, too, and a filter for them leaves no others. */
export function settled(filters: Filters): Filters {
  if (filters.sort === "next_due" && filters.sort_order !== undefined) {
    const { sort_order: _, ...one } = filters; // what is due first always comes first
    return settled(one);
  }
  if (filters.sla !== undefined && filters.due_within !== undefined) {
    const { due_within: _, ...one } = filters;
    return settled(one);
  }
  if (onlyUnsolved(filters)) return filters;
  if (triageNames.some((n) => n !== "sort" && filters[n] !== undefined)) return { ...filters, state: "unsolved" };
  const { sort: _, ...next } = filters;
  if (next.filter_by === "last_message_at") delete next.filter_by;
  return next;
}
