// Personal access tokens: what programs that act as you show.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { everyPage } from "./people";

export type Token = Schemas["Token"];
export type MadeToken = Schemas["MadeToken"];

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: () =>
    everyPage<Token>(async (next_cursor) => {
      const { tokens, response_metadata } = await ask(api.GET("/v1/rest/tokens", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: tokens, next: response_metadata.next_cursor };
    }),
});

export async function makeToken(body: Schemas["NewToken"]): Promise<MadeToken> {
  const { token } = await ask(api.POST("/v1/rest/tokens", { body }));
  void queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
  return token;
}

export async function removeToken(id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/tokens/{id}", { params: { path: { id } } }));
  queryClient.setQueryData(tokensQuery.queryKey, (all) => all?.filter((t) => t.id !== id));
}
