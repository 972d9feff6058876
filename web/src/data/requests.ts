// Requests as they are shown: one by its id, and lists by their filters. A change
// is drawn at once wherever the request is seen, and taken back where the server
// refuses it.
import { type InfiniteData, type QueryClient, infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import type { paths } from "../api/schema";
import { tellProblem } from "../parts/tell";

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

const pageSize = 50;

/** A list of requests, page by page. */
export const requestsQuery = (filters: RequestFilters) =>
  infiniteQueryOptions({
    queryKey: ["requests", filters],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => requestPage(filters, pageParam, signal),
    getNextPageParam: (last: RequestPage) => last.next,
  });

async function requestPage({ query, ...filters }: RequestFilters, cursor: string | null, signal: AbortSignal): Promise<RequestPage> {
  const page = { limit: pageSize, ...(cursor !== null && { next_cursor: cursor }) };
  if (query) {
    const { filter_by: _, ...rest } = filters;
    const found = await ask(api.GET("/v1/rest/requests/search", { params: { query: { ...rest, ...page, query, only_public: false } as never }, signal }));
    // The document requires the same members of both, in a way that the types do not show.
    return { requests: found.requests as ListedRequest[], next: found.response_metadata.next_cursor };
  }
  const listed = await ask(api.GET("/v1/rest/requests", { params: { query: { ...filters, ...page } }, signal }));
  return { requests: listed.requests, next: listed.response_metadata.next_cursor };
}

/** A request with what was said in it, its parent and its children. */
export const requestQuery = (id: number) =>
  queryOptions({
    queryKey: ["request", id],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/requests/{id}", { params: { path: { id }, query: { include: ["messages", "parent_child_requests"] } }, signal }))).request,
  });

/** Draws a change of a request wherever it is shown. Gives a function that takes it back. */
export function drawRequest(client: QueryClient, id: number, draw: (r: ListedRequest) => Partial<ListedRequest>): () => void {
  const before = [...client.getQueriesData({ queryKey: ["requests"] }), ...client.getQueriesData({ queryKey: ["request", id] })];
  client.setQueriesData<InfiniteData<RequestPage>>({ queryKey: ["requests"] }, (list) => {
    if (!list?.pages.some((p) => p.requests.some((r) => r.id === id))) return list;
    return { ...list, pages: list.pages.map((p) => ({ ...p, requests: p.requests.map((r) => (r.id === id ? { ...r, ...draw(r) } : r)) })) };
  });
  client.setQueryData<Request>(["request", id], (r) => r && { ...r, ...(draw(r as unknown as ListedRequest) as Partial<Request>) });
  return () => {
    for (const [key, data] of before) client.setQueryData(key, data);
  };
}

/** How a request looks once a change is made. */
function drawn(change: RequestChange): Partial<ListedRequest> {
  const { assignee, assigned_team, contributors: _c, parent_request: _p, custom_field_values, ...same } = change;
  return {
    ...same,
    ...(assignee !== undefined && { assignee: assignee === null ? null : { id: assignee } }),
    ...(assigned_team !== undefined && { assigned_team: assigned_team === null ? null : { id: assigned_team } }),
  } as Partial<ListedRequest>;
}

/** Changes requests; each is drawn at once. */
export function useChangeRequest() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, change }: { id: number; change: RequestChange }) => (await ask(api.PATCH("/v1/rest/requests/{id}", { params: { path: { id } }, body: change }))).request,
    onMutate: async ({ id, change }) => {
      await client.cancelQueries({ queryKey: ["request", id] });
      return { takeBack: drawRequest(client, id, () => drawn(change)) };
    },
    onError: (error, _, drawnBefore) => {
      drawnBefore?.takeBack();
      tellProblem(error, "Nothing was changed.");
    },
    onSuccess: (request, { id }) => {
      const { author: _, messages: __, ...same } = request;
      drawRequest(client, id, () => same as Partial<ListedRequest>);
      void client.invalidateQueries({ queryKey: ["request", id] });
      void client.invalidateQueries({ queryKey: ["history", id] });
    },
  });
}

/** Undoes the newest change of a request. */
export function useUndoChange() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) => (await ask(api.POST("/v1/rest/requests/{id}/undo", { params: { path: { id } }, body: {} }))).request,
    onError: (error) => tellProblem(error),
    onSuccess: (request) => {
      const { author: _, messages: __, ...same } = request;
      drawRequest(client, request.id, () => same as Partial<ListedRequest>);
      void client.invalidateQueries({ queryKey: ["request", request.id] });
      void client.invalidateQueries({ queryKey: ["history", request.id] });
    },
  });
}
