// Who changed what of a request, and how a change is undone.
import { t } from "@lingui/core/macro";
import { type QueryClient, infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ask } from "../api/client";
import { tellProblem } from "../tell";
import { type HistoryEntry, undoChange } from "./requests";

export type { HistoryEntry };

export const historyQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ["history", id],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => ask(api.GET("/v1/rest/requests/{id}/history", { params: { path: { id }, query: { limit: 30, ...(pageParam && { next_cursor: pageParam }) } }, signal })),
    getNextPageParam: (last) => last.response_metadata.next_cursor,
  });

/** Only so many of the newest changes can be undone. */
export const undoable = 20;

/** Undoes one change of a request. */
export function useUndo() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, changeId }: { id: number; changeId: number }) => ask(api.POST("/v1/rest/requests/{id}/undo", { params: { path: { id } }, body: { change_id: changeId } })),
    onError: (error) => tellProblem(error, t`Nothing was changed.`),
    onSuccess: (_, { id }) => refresh(client, id),
  });
}

/** Undoes the newest change of a kind; says so when that is not possible. */
export async function undoNewest(client: QueryClient, id: number, action: HistoryEntry["action"]) {
  try {
    await undoChange(client, id, (h) => h.action === action);
    refresh(client, id);
  } catch (error) {
    tellProblem(error, t`Nothing was changed.`);
  }
}

function refresh(client: QueryClient, id: number) {
  for (const queryKey of [["request"], ["requests"], ["history", id], ["sla", id]]) void client.invalidateQueries({ queryKey });
}
