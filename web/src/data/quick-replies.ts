// Texts that are written often, ready to be put into an answer.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { everyPage } from "./people";

export type QuickReply = Schemas["QuickReply"];

export const quickRepliesQuery = queryOptions({
  queryKey: ["quick-replies"],
  queryFn: () =>
    everyPage<QuickReply>(async (next_cursor) => {
      const { quick_replies, response_metadata } = await ask(api.GET("/v1/rest/quick-replies", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: quick_replies, next: response_metadata.next_cursor };
    }),
  staleTime: 5 * 60_000,
});
