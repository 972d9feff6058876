// Texts that are written once and used often.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { everyPage } from "./people";

export type QuickReply = Schemas["ShownQuickReply"];

/** Those that one may use: one's own, and what others share. */
export const quickRepliesQuery = queryOptions({
  queryKey: ["quick-replies"],
  queryFn: () =>
    everyPage<QuickReply>(async (next_cursor) => {
      const { quick_replies, response_metadata } = await ask(api.GET("/v1/rest/quick-replies", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: quick_replies, next: response_metadata.next_cursor };
    }),
  staleTime: 5 * 60_000,
});

const again = () => queryClient.invalidateQueries({ queryKey: quickRepliesQuery.queryKey });

export async function makeQuickReply(body: { name: string; html: string; shared?: boolean }): Promise<void> {
  await ask(api.POST("/v1/rest/quick-replies", { body }));
  await again();
}

export async function changeQuickReply(id: number, body: { name?: string; html?: string; shared?: boolean }): Promise<void> {
  await ask(api.PATCH("/v1/rest/quick-replies/{id}", { params: { path: { id } }, body }));
  await again();
}

export async function removeQuickReply(id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/quick-replies/{id}", { params: { path: { id } } }));
  await again();
}
