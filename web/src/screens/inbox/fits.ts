// Whether a request matches the filters of a list, as far as the browser can tell. A
// changed row that no longer matches stays in place, marked as gone.
import type { ListedRequest, RequestFilters } from "../../data/requests";

const oneOf = <T>(wanted: readonly T[] | undefined, has: readonly T[]) => !wanted || wanted.length === 0 || has.some((h) => wanted.includes(h));
const text = (values: unknown): string[] | undefined => (values === undefined ? undefined : (Array.isArray(values) ? values : [values]).map(String));

/** Says whether a request fits. What only the server knows, such as the words of a search, is taken to fit. */
export function fits(filters: RequestFilters, request: ListedRequest, myUser: string | null): boolean {
  const f = filters as Record<string, unknown>;
  const assignee = request.assignee?.id ?? "none";
  return (
    oneOf(text(f.state), [request.state ?? "none"]) &&
    // Without a state, a list has whatever is or was a request.
    (f.state !== undefined || request.state !== null || request.not_a_request_state !== null) &&
    oneOf(text(f.priority), [request.priority]) &&
    oneOf(text(f.assignee_id), assignee === myUser ? [assignee, "me"] : [assignee]) &&
    oneOf(text(f.team_id), [String(request.assigned_team?.id ?? "none")]) &&
    oneOf(text(f.customer_id), [String(request.customer_id ?? "none")]) &&
    oneOf(text(f.tag), request.tags) &&
    oneOf(text(f.collection_id), [String(request.collection.id)]) &&
    oneOf(text(f.channel_id), [request.channel?.id ?? ""]) &&
    (f.unread === undefined || (request.unread ?? false)) &&
    (f.following === undefined || (request.following ?? false)) &&
    (f.snoozed === undefined || f.snoozed === sleep(request)) &&
    oneOf(text(f.category), request.ai_field_values?.category ?? []) &&
    oneOf(text(f.sentiment), [request.ai_field_values?.sentiment ?? ""]) &&
    oneOf(text(f.emotion), [request.ai_field_values?.emotion ?? ""]) &&
    dueWithin(f, request) &&
    after(f, request)
  );
}

/** What the filter `snoozed` has to be for a request. What is back is not snoozed, either. */
function sleep({ snooze }: ListedRequest): string {
  return snooze && !snooze.back ? "true" : "false";
}

function dueWithin(f: Record<string, unknown>, { next_due }: ListedRequest): boolean {
  if (f.sla === undefined && f.due_within === undefined) return true;
  return next_due !== null && next_due !== undefined && Date.parse(next_due.due_at) < Date.now() + Number(f.due_within ?? 0) * 60_000;
}

/** The time that a list is ordered by. */
export function timeOf(filters: RequestFilters, r: ListedRequest): string {
  if (filters.filter_by === "last_message_at") return r.last_message?.created_at ?? r.created_at;
  return filters.filter_by === "updated_at" ? r.updated_at : r.created_at;
}

function after(f: Record<string, unknown>, request: ListedRequest): boolean {
  const at = Date.parse(timeOf(f as RequestFilters, request));
  return (typeof f.after !== "string" || at > Date.parse(f.after)) && (typeof f.before !== "string" || at < Date.parse(f.before));
}

/** Whether a request that is not on the list would be among what is loaded, and not somewhere further down. */
export function withinLoaded(filters: RequestFilters, request: ListedRequest, last: ListedRequest | undefined, more: boolean): boolean {
  if (!last || !more || request.snooze?.back) return true; // what is back stands on top
  if (filters.sort !== undefined) return true; // only the server knows its place
  const at = (r: ListedRequest) => timeOf(filters, r);
  return filters.sort_order === "asc" ? at(request) < at(last) : at(request) > at(last);
}
