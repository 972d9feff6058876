// The built-in chat workspace, where there is one.
import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "../api/client";

export const sandboxQuery = queryOptions({
  queryKey: ["sandbox"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/sandbox", { signal }))).sandbox,
  staleTime: 10 * 60_000,
});
