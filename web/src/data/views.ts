// Saved views of the inbox, private or shared.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

export type View = Schemas["ShownView"];
export type ViewChange = { name?: string; query?: string; shared?: boolean };

export const viewsQuery = queryOptions({
  queryKey: ["views"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/views", { signal }))).views,
  staleTime: 5 * 60_000,
});

export async function makeView(client: QueryClient, body: { name: string; query: string; shared: boolean }): Promise<View> {
  const { view } = await ask(api.POST("/v1/rest/views", { body }));
  draw(client, (views) => [...views, view]);
  return view;
}

export async function changeView(client: QueryClient, id: number, body: ViewChange): Promise<View> {
  const { view } = await ask(api.PATCH("/v1/rest/views/{id}", { params: { path: { id } }, body }));
  draw(client, (views) => views.map((v) => (v.id === id ? view : v)));
  return view;
}

export async function removeView(client: QueryClient, id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/views/{id}", { params: { path: { id } } }));
  draw(client, (views) => views.filter((v) => v.id !== id));
}

function draw(client: QueryClient, change: (views: View[]) => View[]) {
  client.setQueryData(viewsQuery.queryKey, (views) => views && change(views));
}
