// The tags that requests have, to choose from.
import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "../api/client";

/** Tags whose names begin so. */
export const tagsFound = (query: string) =>
  queryOptions({
    queryKey: ["tags", query],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/tags", { params: { query: { ...(query && { query }) } }, signal }))).tags.map((t) => t.name),
    staleTime: 60_000,
  });
