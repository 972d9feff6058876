// Saved explorations and dashboards of insights, private or shared.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

export type Exploration = Schemas["ShownExploration"];
export type Target = Schemas["Target"];
export type Dashboard = Schemas["ShownDashboard"];
export type Card = Dashboard["cards"][number];
export type GivenExploration = Pick<Exploration, "name" | "query" | "chart" | "target">;
export type GivenCard = { exploration_id?: number; exploration?: GivenExploration; width: Card["width"] };

export const explorationsQuery = queryOptions({
  queryKey: ["explorations"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/insights/explorations", { signal }))).explorations,
  staleTime: 5 * 60_000,
});

export const dashboardsQuery = queryOptions({
  queryKey: ["dashboards"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/insights/dashboards", { signal }))).dashboards,
  staleTime: 5 * 60_000,
});

export async function makeExploration(client: QueryClient, body: GivenExploration & { shared: boolean }): Promise<Exploration> {
  const { exploration } = await ask(api.POST("/v1/rest/insights/explorations", { body }));
  drawExplorations(client, (all) => [...all, exploration]);
  return exploration;
}

export async function changeExploration(client: QueryClient, id: number, body: Partial<GivenExploration & { shared: boolean }>): Promise<Exploration> {
  const { exploration } = await ask(api.PATCH("/v1/rest/insights/explorations/{id}", { params: { path: { id } }, body }));
  drawExplorations(client, (all) => all.map((e) => (e.id === id ? exploration : e)));
  return exploration;
}

export async function removeExploration(client: QueryClient, id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/insights/explorations/{id}", { params: { path: { id } } }));
  drawExplorations(client, (all) => all.filter((e) => e.id !== id));
}

export async function restoreExploration(client: QueryClient, id: number): Promise<void> {
  const { exploration } = await ask(api.POST("/v1/rest/insights/explorations/{id}/restore", { params: { path: { id } } }));
  drawExplorations(client, (all) => inOrder([...all, exploration]));
}

export async function makeDashboard(
  client: QueryClient,
  body: { name: string; shared: boolean; cards?: GivenCard[]; date_range?: Dashboard["date_range"]; filters?: Dashboard["filters"] },
): Promise<Dashboard> {
  const { dashboard } = await ask(api.POST("/v1/rest/insights/dashboards", { body }));
  drawDashboards(client, (all) => [...all, dashboard]);
  if (body.cards?.some((c) => c.exploration)) await client.invalidateQueries({ queryKey: explorationsQuery.queryKey });
  return dashboard;
}

export async function changeDashboard(client: QueryClient, id: number, body: Partial<Pick<Dashboard, "name" | "shared" | "cards" | "date_range" | "filters">>): Promise<Dashboard> {
  // What is moved is drawn before the response, and put back if that is a refusal.
  const before = client.getQueryData(dashboardsQuery.queryKey);
  drawDashboards(client, (all) => all.map((d) => (d.id === id ? { ...d, ...(body.cards && { cards: body.cards }) } : d)));
  try {
    const { dashboard } = await ask(api.PATCH("/v1/rest/insights/dashboards/{id}", { params: { path: { id } }, body }));
    drawDashboards(client, (all) => all.map((d) => (d.id === id ? dashboard : d)));
    return dashboard;
  } catch (e) {
    client.setQueryData(dashboardsQuery.queryKey, before);
    throw e;
  }
}

export async function removeDashboard(client: QueryClient, id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/insights/dashboards/{id}", { params: { path: { id } } }));
  drawDashboards(client, (all) => all.filter((d) => d.id !== id));
}

export async function restoreDashboard(client: QueryClient, id: number): Promise<void> {
  const { dashboard } = await ask(api.POST("/v1/rest/insights/dashboards/{id}/restore", { params: { path: { id } } }));
  drawDashboards(client, (all) => inOrder([...all, dashboard]));
}

const inOrder = <T extends { position: number; id: number }>(all: T[]) => all.toSorted((a, b) => a.position - b.position || a.id - b.id);

function drawExplorations(client: QueryClient, change: (all: Exploration[]) => Exploration[]) {
  client.setQueryData(explorationsQuery.queryKey, (all) => all && change(all));
}

function drawDashboards(client: QueryClient, change: (all: Dashboard[]) => Dashboard[]) {
  client.setQueryData(dashboardsQuery.queryKey, (all) => all && change(all));
}
