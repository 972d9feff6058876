// Where somebody is signed in, and what they may change of themselves.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { meQuery } from "./me";

export type Session = Schemas["Session"];

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/sessions", { params: { query: { limit: 100 } }, signal }))).sessions,
  staleTime: 0,
});

export async function endSession(id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/sessions/{id}", { params: { path: { id } } }));
  queryClient.setQueryData(sessionsQuery.queryKey, (all) => all?.filter((s) => s.id !== id));
}

export async function changeMe(body: Schemas["MeChange"]): Promise<void> {
  const { me } = await ask(api.PATCH("/v1/rest/me", { body }));
  queryClient.setQueryData(meQuery.queryKey, me);
}
