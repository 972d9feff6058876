// Requests: one by its id, and lists by their filters. A change is shown immediately
// wherever the request appears, and reverted if the server refuses it.
import { t } from "@lingui/core/macro";
import { type InfiniteData, type QueryClient, infiniteQueryOptions, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { Problem, type Schemas, api, ask } from "../api/client";
import type { paths } from "../api/schema";
import { tellProblem } from "../tell";
import { customersQuery } from "./customers";
import { noteMark, sendMark, watchMarks } from "./marks";
import { teamsQuery, userQuery } from "./people";
import { recount } from "./viewCounts";
import { tellWindows } from "./windows";

export type Request = Schemas["Request"];
export type ListedRequest = Schemas["ListedRequest"] & { highlights?: Schemas["Highlights"] };
export type RequestChange = Schemas["RequestChange"];
export type Message = Schemas["Message"];
export type State = NonNullable<Request["state"]>;
export type Priority = Request["priority"];

export type RequestFilters = Omit<NonNullable<paths["/v1/rest/requests"]["get"]["parameters"]["query"]>, "limit" | "next_cursor" | "include"> & {
  /** Words to search for; then the list is what was found. */
  query?: string;
};

export type RequestPage = { requests: ListedRequest[]; next: string | null };

// The first page is soon there; who goes on wants the rest.
const firstPage = 50;
const nextPage = 100;

/** A list of requests, page by page. */
export const requestsQuery = (filters: RequestFilters) =>
  infiniteQueryOptions({
    queryKey: ["requests", filters],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => requestPage(filters, pageParam, signal),
    getNextPageParam: (last: RequestPage) => last.next,
  });

async function requestPage({ query, ...filters }: RequestFilters, cursor: string | null, signal: AbortSignal): Promise<RequestPage> {
  const page = cursor === null ? { limit: firstPage } : { limit: nextPage, next_cursor: cursor };
  const marked = watchMarks();
  if (query) {
    const { filter_by: _, sort: __, ...rest } = filters;
    const found = await ask(api.GET("/v1/rest/requests/search", { params: { query: { ...rest, ...page, query, only_public: false } }, signal }));
    // The document requires the same members of both, in a way that the types do not show.
    return { requests: (found.requests as ListedRequest[]).map(marked), next: found.response_metadata.next_cursor };
  }
  const listed = await ask(api.GET("/v1/rest/requests", { params: { query: { ...filters, ...page } }, signal }));
  return { requests: listed.requests.map(marked), next: listed.response_metadata.next_cursor };
}

/** A request with what was said in it, its parent and its children. */
export const requestQuery = (id: number) =>
  queryOptions({
    queryKey: ["request", id],
    queryFn: ({ signal }) => readRequest(String(id), signal),
  });

async function readRequest(id: string, signal: AbortSignal): Promise<Request> {
  const marked = watchMarks();
  return marked((await ask(api.GET("/v1/rest/requests/{id}", { params: { path: { id }, query: { include: ["messages", "parent_child_requests"] } }, signal }))).request);
}

/** Which request people call by a key. It is read with all that its screen shows. */
export const keyedQuery = (client: QueryClient, key: string) =>
  queryOptions({
    queryKey: ["request-keyed", key],
    queryFn: async ({ signal }) => {
      const request = await readRequest(key, signal);
      client.setQueryData<Request>(["request", request.id], request);
      return request.id;
    },
    staleTime: Number.POSITIVE_INFINITY, // a key leads to its request for ever
  });

/** The request that an address names: by its key or, as addresses did before there were keys, by its id. */
export function useNamedRequest(name: string | undefined) {
  const client = useQueryClient();
  const known = useMemo(() => (name === undefined ? null : knownRequest(client, name)), [client, name]);
  const key = keyIn(name ?? "");
  const found = useQuery({ ...keyedQuery(client, key ?? ""), enabled: key !== null && known === null });
  const id = known ?? (key === null ? null : (found.data ?? null));
  return { id, error: id === null ? found.error : null, searching: id === null && found.isFetching, retry: () => void found.refetch() };
}

/** A key in capital letters; null if it is none. */
export const keyIn = (name: string) => (/^[a-z][a-z0-9]{0,9}-[1-9]\d{0,17}$/i.test(name) ? name.toUpperCase() : null);

/** The id of the request that a part of an address names, if no one has to be asked. */
export function knownRequest(client: QueryClient, name: string): number | null {
  if (/^[1-9]\d{0,15}$/.test(name)) return Number(name);
  const key = keyIn(name);
  if (key === null) return null;
  const found = client.getQueryData<number>(["request-keyed", key]);
  if (found !== undefined) return found;
  for (const [, request] of client.getQueriesData<Request>({ queryKey: ["request"] })) if (request?.key === key) return request.id;
  for (const [, list] of client.getQueriesData<Lists>({ queryKey: ["requests"] })) {
    for (const page of list?.pages ?? []) {
      const row = page.requests.find((r) => r.key === key);
      if (row) return row.id;
    }
  }
  return null;
}

/** What stands for a request in an address: its key, or its id as long as nothing is known of it. That leads to the key. */
export function nameOf(client: QueryClient, id: number): string {
  return client.getQueryData<Request>(["request", id])?.key ?? listedRequest(client, id)?.key ?? String(id);
}

type Lists = InfiniteData<RequestPage>;

/** Puts another row in a request's place, in every list that has it. Pages without it stay the same objects. */
function redrawRow(client: QueryClient, id: number, draw: (r: ListedRequest) => ListedRequest) {
  client.setQueriesData<Lists>({ queryKey: ["requests"] }, (list) => {
    const at = list?.pages.findIndex((p) => p.requests.some((r) => r.id === id)) ?? -1;
    if (!list || at < 0) return list;
    const pages = [...list.pages];
    const page = pages[at] as RequestPage;
    pages[at] = { ...page, requests: page.requests.map((r) => (r.id === id ? draw(r) : r)) };
    return { ...list, pages };
  });
}

/** Shows a change of a request everywhere. Returns a function that reverts it. */
export function drawRequest(client: QueryClient, id: number, draw: (r: ListedRequest) => Partial<ListedRequest>): () => void {
  // Only this request is reverted: a list may have grown in the meantime.
  const before = listedRequest(client, id);
  const whole = client.getQueryData<Request>(["request", id]);
  redrawRow(client, id, (r) => ({ ...r, ...draw(r) }));
  client.setQueryData<Request>(["request", id], (r) => r && { ...r, ...(draw(r as unknown as ListedRequest) as Partial<Request>) });
  return () => {
    if (before) redrawRow(client, id, ({ highlights }) => ({ ...before, ...(highlights && { highlights }) }));
    if (whole) client.setQueryData(["request", id], whole);
  };
}

/** A request as some list has it; null where none has. */
export function listedRequest(client: QueryClient, id: number): ListedRequest | null {
  for (const [, list] of client.getQueriesData<Lists>({ queryKey: ["requests"] })) {
    for (const page of list?.pages ?? []) {
      const found = page.requests.find((r) => r.id === id);
      if (found) return found;
    }
  }
  return null;
}

/** Takes requests off every list: they were merged into another. */
export function dropRequests(client: QueryClient, ids: readonly number[]) {
  const gone = new Set(ids);
  client.setQueriesData<Lists>({ queryKey: ["requests"] }, (list) => {
    if (!list?.pages.some((p) => p.requests.some((r) => gone.has(r.id)))) return list;
    return { ...list, pages: list.pages.map((p) => ({ ...p, requests: p.requests.filter((r) => !gone.has(r.id)) })) };
  });
}

/** Reads the first page of a list again. Later pages are read when somebody scrolls to them. */
export async function refreshRequests(client: QueryClient, filters: RequestFilters) {
  const query = requestsQuery(filters);
  await client.cancelQueries({ queryKey: query.queryKey, exact: true });
  // The first page stays to be seen meanwhile.
  client.setQueryData<Lists>(query.queryKey, (list) => list && { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) });
  await client.fetchInfiniteQuery({ ...query, staleTime: 0 });
}

/** Says that the reader has seen a request, or wants to be reminded of it. */
export async function markRead(client: QueryClient, id: number, read: boolean): Promise<void> {
  const mark = noteMark(id, !read);
  const takeBack = drawRequest(client, id, () => ({ unread: !read }));
  const params = { params: { path: { id } } };
  try {
    await sendMark(id, () => ask(read ? api.PUT("/v1/rest/requests/{id}/read", params) : api.DELETE("/v1/rest/requests/{id}/read", params)));
    mark.arrived();
    recount(client);
    tellWindows({ request: id, unread: !read });
  } catch (error) {
    if (mark.refused()) takeBack();
    throw error;
  }
}

/** Follows a request, or no longer. */
export async function followRequest(client: QueryClient, id: number, follow: boolean): Promise<void> {
  const takeBack = drawRequest(client, id, () => ({ following: follow || undefined }) as Partial<ListedRequest>);
  const params = { params: { path: { id } } };
  try {
    await ask(follow ? api.PUT("/v1/rest/requests/{id}/follow", params) : api.DELETE("/v1/rest/requests/{id}/follow", params));
  } catch (error) {
    takeBack();
    throw error;
  }
}

export type NewRequest = Schemas["NewRequest"];

/** Makes a request; sent again with the same key, it is made once. Returns its id. */
export async function makeRequest(body: NewRequest, once: string): Promise<number> {
  const made = await ask(api.POST("/v1/rest/requests", { params: { header: { "Idempotency-Key": once } }, body }));
  return "request" in made ? Number(made.request.id) : made.id;
}

type Said = Schemas["MessageMention"] & { text?: string };

/** Draws what was said last. The words of a note are in no list. */
export function drawLast(client: QueryClient, said: Omit<Said, "attachments" | "edited_at">) {
  const { id, author, is_responder, is_private, created_at } = said;
  const author_name = (author && client.getQueryData(userQuery(author).queryKey)?.name) || "";
  const text = is_private ? "" : ((said.text ?? "").trim().split("\n", 1)[0] as string).slice(0, 200);
  drawRequest(client, said.request_id, (r) => (r.last_message && r.last_message.id > id ? {} : { last_message: { id, text, author, author_name, is_responder, is_private, created_at } }));
}

/** Draws a mark that was not made in this window: the server has it. */
export function drawMark(client: QueryClient, id: number, unread: boolean) {
  noteMark(id, unread).arrived();
  recount(client);
  drawRequest(client, id, () => ({ unread }));
}

/** Draws what is known of a request, as changes, answers and events have it, with the names that lists have. */
export function drawRow(client: QueryClient, id: number, row: Partial<ListedRequest>): () => void {
  const takeBack = drawRequest(client, id, (before) => named(client, before, row));
  void nameCustomer(client, id);
  return takeBack;
}

/** States in which SLA timers are paused or done. */
const restful: (State | null | undefined)[] = ["pending", "on_hold", "solved", "closed", null];

function named(client: QueryClient, before: ListedRequest, row: Partial<ListedRequest>): Partial<ListedRequest> {
  const next = { ...row };
  // A change is drawn before its answer says what somebody is called.
  if (row.assignee && !row.assignee.name) {
    const { id } = row.assignee;
    const name = before.assignee?.id === id ? before.assignee.name : client.getQueryData(userQuery(id).queryKey)?.name;
    next.assignee = { id, name: name ?? "" };
  }
  if (row.assigned_team && !row.assigned_team.name) {
    const { id } = row.assigned_team;
    const name = before.assigned_team?.id === id ? before.assigned_team.name : client.getQueryData(teamsQuery.queryKey)?.find((t) => t.id === id)?.name;
    next.assigned_team = { id, name: name ?? "" };
  }
  if (row.customer_id !== undefined && row.customer_id !== (before.customer?.id ?? null)) {
    const found = client.getQueryData(customersQuery.queryKey)?.find((c) => c.id === row.customer_id);
    next.customer = found ? { id: found.id, name: found.name } : null;
  }
  if ("state" in row && restful.includes(row.state)) next.next_due = null;
  return next;
}

/** Asks for the name of the customer where it was not known: answers to changes and events have the id alone. */
async function nameCustomer(client: QueryClient, id: number) {
  const row = listedRequest(client, id);
  if (!row || row.customer_id === null || row.customer) return;
  try {
    const found = (await client.fetchQuery(customersQuery)).find((c) => c.id === row.customer_id);
    if (found) drawRequest(client, id, (r) => (r.customer_id === found.id ? { customer: { id: found.id, name: found.name } } : {}));
  } catch {
    // The row does without the name; what was to be done is done.
  }
}

/** How a request looks once a change is made. */
function drawn(change: RequestChange, before: ListedRequest | Request | null): Partial<ListedRequest> {
  const { assignee, assigned_team, custom_field_values, snooze, ...same } = change;
  const values = { ...before?.custom_field_values, ...custom_field_values };
  return {
    ...same,
    ...(change.not_a_request_state && { state: null }),
    ...(change.state && { not_a_request_state: null }),
    ...(snooze !== undefined && { snooze: snooze === null ? undefined : { until: snooze.until, at: new Date().toISOString(), by: null, back: null } }),
    ...(custom_field_values && { custom_field_values: Object.fromEntries(Object.entries(values).filter(([, v]) => v !== null)) }),
    ...(assignee !== undefined && { assignee: assignee === null ? null : { id: assignee, name: "" } }),
    ...(assigned_team !== undefined && { assigned_team: assigned_team === null ? null : { id: assigned_team, name: "" } }),
  } as Partial<ListedRequest>;
}

/** Changes a request: drawn at once, and taken back where the server refuses. */
export async function changeRequest(client: QueryClient, id: number, change: RequestChange): Promise<Request> {
  await client.cancelQueries({ queryKey: ["request", id] });
  const takeBack = drawRow(client, id, drawn(change, client.getQueryData<Request>(["request", id]) ?? listedRequest(client, id)));
  try {
    const { request } = await ask(api.PATCH("/v1/rest/requests/{id}", { params: { path: { id } }, body: change }));
    drawAnswer(client, request);
    return request;
  } catch (error) {
    takeBack();
    throw error;
  }
}

/** Draws a request as the server has it now. */
function drawAnswer(client: QueryClient, request: Request) {
  drawRow(client, request.id, rowOf(request));
  void client.invalidateQueries({ queryKey: ["request", request.id] });
  void client.invalidateQueries({ queryKey: ["history", request.id] });
  void client.invalidateQueries({ queryKey: ["sla", request.id] });
}

/** A request in the shape of a list row. The author differs: an object in a request, an id in a list. */
export function rowOf(request: Request): Partial<ListedRequest> {
  const { author: _, messages: __, ...same } = request;
  return { ...same, ...mailStatus(request), snooze: request.snooze } as Partial<ListedRequest>;
}

/** What became of a request's mails. It is left out while nothing is wrong, so what a row had must be taken away. */
const mailStatus = (of: { email_status?: ListedRequest["email_status"] }) => ({ email_status: of.email_status }) as Partial<ListedRequest>;

/** Draws what became of a request's mails. */
export function drawMailStatus(client: QueryClient, request: { id: number; email_status?: ListedRequest["email_status"] }) {
  drawRequest(client, request.id, () => mailStatus(request));
}

/** Changes requests; each is drawn at once. */
export function useChangeRequest() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }: { id: number; change: RequestChange }) => changeRequest(client, id, change),
    onError: (error) => tellProblem(error, t`Nothing was changed.`),
  });
}

export type HistoryEntry = Schemas["HistoryEntry"];

/** Undoes the newest change that `meant` accepts, and not a later change by somebody else. */
export async function undoChange(client: QueryClient, id: number, meant: (entry: HistoryEntry) => boolean): Promise<void> {
  const { history } = await ask(api.GET("/v1/rest/requests/{id}/history", { params: { path: { id }, query: { limit: 20 } } }));
  const change = history.find((h) => h.undone_at === undefined && h.id !== null && meant(h));
  if (!change?.id) throw new Problem(t`There is nothing left to undo.`, 0);
  const { request } = await ask(api.POST("/v1/rest/requests/{id}/undo", { params: { path: { id } }, body: { change_id: change.id } }));
  drawAnswer(client, request);
}
