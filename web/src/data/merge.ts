// Requests that belong together are made one, and one that is about two things
// is made two.
import { t } from "@lingui/core/macro";
import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ask } from "../api/client";
import { tellProblem } from "../tell";
import type { ListedRequest } from "./requests";

/** Requests to choose among: what was found by words, or else the newest that are not solved. */
export const requestsToChoose = (query: string) =>
  queryOptions({
    queryKey: ["requests-to-choose", query],
    queryFn: async ({ signal }) => {
      if (query !== "") return (await ask(api.GET("/v1/rest/requests/search", { params: { query: { query, limit: 20, only_public: false } }, signal }))).requests as ListedRequest[];
      return (await ask(api.GET("/v1/rest/requests", { params: { query: { limit: 20, state: ["open", "in_progress", "pending", "on_hold"] } }, signal }))).requests;
    },
    staleTime: 10_000,
  });

export function useMerge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ into, ids }: { into: number; ids: number[] }) => (await ask(api.POST("/v1/rest/requests/{id}/merge", { params: { path: { id: into } }, body: { request_ids: ids } }))).request,
    onError: (error) => tellProblem(error, t`Nothing was merged.`),
    onSettled: () => refresh(client),
  });
}

export function useSplit() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, messageIds, title }: { id: number; messageIds: number[]; title: string }) =>
      (await ask(api.POST("/v1/rest/requests/{id}/split", { params: { path: { id } }, body: { message_ids: messageIds, ...(title && { title }) } }))).request,
    onError: (error) => tellProblem(error, t`Nothing was split.`),
    onSettled: () => refresh(client),
  });
}

function refresh(client: QueryClient) {
  for (const queryKey of [["request"], ["requests"], ["history"], ["requests-to-choose"]]) void client.invalidateQueries({ queryKey });
}
