// Groups of requests with those who answer them.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { everyPage } from "./people";

export type Collection = Schemas["Collection"];

/** All that one has, to choose from and to name by id. */
export const collectionsQuery = queryOptions({
  queryKey: ["collections"],
  queryFn: () =>
    everyPage<Collection>(async (next_cursor) => {
      const { collections, response_metadata } = await ask(api.GET("/v1/rest/collections", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: collections, next: response_metadata.next_cursor };
    }),
  staleTime: 5 * 60_000,
});
