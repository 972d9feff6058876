// What the team wrote down about a customer, and what happened to it.
import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { keepRow, keptRow } from "./browser";

export type CustomerNote = Schemas["CustomerNote"];
export type TimelineEntry = Schemas["TimelineEntry"];

const pageOf = (id: number, next_cursor: string | null) => ({ path: { id }, query: { limit: 20, ...(next_cursor !== null && { next_cursor }) } });

export const customerNotesQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ["customer", id, "notes"],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => await ask(api.GET("/v1/rest/customers/{id}/notes", { params: pageOf(id, pageParam), signal })),
    getNextPageParam: (last) => last.response_metadata.next_cursor,
  });

export const timelineQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ["customer", id, "timeline"],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => await ask(api.GET("/v1/rest/customers/{id}/timeline", { params: pageOf(id, pageParam), signal })),
    getNextPageParam: (last) => last.response_metadata.next_cursor,
    staleTime: 0,
  });

function useChanged(id: number) {
  const client = useQueryClient();
  return async () => {
    await Promise.all([client.invalidateQueries({ queryKey: ["customer", id, "notes"] }), client.invalidateQueries({ queryKey: ["customer", id, "timeline"] })]);
  };
}

export function useAddNote(id: number) {
  const changed = useChanged(id);
  return useMutation({ mutationFn: (text: string) => ask(api.POST("/v1/rest/customers/{id}/notes", { params: { path: { id } }, body: { text } })), onSuccess: changed });
}

export function useDeleteNote(id: number) {
  const changed = useChanged(id);
  return useMutation({ mutationFn: (note: number) => ask(api.DELETE("/v1/rest/customers/{id}/notes/{note}", { params: { path: { id, note } } })), onSuccess: changed });
}

/** A note that was begun and not saved, kept in this browser. */
export const begunNote = (id: number) => keptRow<string>(`note.${id}`) ?? "";
export const keepNote = (id: number, text: string) => keepRow(`note.${id}`, text === "" ? null : text);
