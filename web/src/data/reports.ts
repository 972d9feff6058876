// Dashboards that are sent on a schedule.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

export type Report = Schemas["ShownReport"];
export type GivenReport = Pick<Report, "every" | "weekday" | "day" | "hour" | "member_ids" | "channel_id">;

/** One's own; for admins, everybody's. */
export const reportsQuery = queryOptions({
  queryKey: ["reports"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/insights/reports", { signal }))).reports,
});

export async function makeReport(client: QueryClient, dashboard: number, body: GivenReport): Promise<void> {
  await ask(api.POST("/v1/rest/insights/reports", { body: { dashboard_id: dashboard, ...body } }));
  await client.invalidateQueries({ queryKey: reportsQuery.queryKey });
}

export async function changeReport(client: QueryClient, id: number, body: GivenReport): Promise<void> {
  await ask(api.PATCH("/v1/rest/insights/reports/{id}", { params: { path: { id } }, body }));
  await client.invalidateQueries({ queryKey: reportsQuery.queryKey });
}

export async function removeReport(client: QueryClient, id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/insights/reports/{id}", { params: { path: { id } } }));
  await client.invalidateQueries({ queryKey: reportsQuery.queryKey });
}

/** Sends a dashboard to who asks, once. */
export async function sendDashboard(id: number): Promise<void> {
  await ask(api.POST("/v1/rest/insights/dashboards/{id}/send", { params: { path: { id } } }));
}
