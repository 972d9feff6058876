// Where requests come from: collections with their channels, to choose from and
// to name by id.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { everyPage } from "./people";

export const placesQuery = queryOptions({
  queryKey: ["places"],
  queryFn: () =>
    everyPage<Schemas["Collection"]>(async (next_cursor) => {
      const { collections, response_metadata } = await ask(api.GET("/v1/rest/collections", { params: { query: { include: "channels", limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: collections, next: response_metadata.next_cursor };
    }),
  staleTime: 5 * 60_000,
});
