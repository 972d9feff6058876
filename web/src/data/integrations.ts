// The systems outside that the account is connected to.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { sandboxQuery } from "./sandbox";

export type Integration = Schemas["Integration"];
export type Credentials = Schemas["TrackerCredential"];

export const integrationsQuery = queryOptions({
  queryKey: ["integrations"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/integrations", { params: { query: { limit: 100 } }, signal }))).integrations,
});

async function again() {
  await Promise.all([queryClient.invalidateQueries({ queryKey: integrationsQuery.queryKey }), queryClient.invalidateQueries({ queryKey: sandboxQuery.queryKey })]);
}

/** Begins a connection; a chat system's goes on at the address that comes back. */
export async function connect(body: Schemas["NewIntegration"]) {
  const { integration } = await ask(api.POST("/v1/rest/integrations", { body }));
  await again();
  return integration;
}

export async function changeIntegration(id: number, body: Schemas["IntegrationChange"]): Promise<void> {
  const { integration } = await ask(api.PATCH("/v1/rest/integrations/{id}", { params: { path: { id } }, body }));
  queryClient.setQueryData(integrationsQuery.queryKey, (all) => all?.map((i) => (i.id === id ? integration : i)));
}

export async function disconnect(id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/integrations/{id}", { params: { path: { id } } }));
  await again();
}

/** Makes a workspace of the built-in chat and connects it. */
export async function connectSandbox(): Promise<void> {
  await ask(api.POST("/v1/rest/sandbox"));
  await again();
}
