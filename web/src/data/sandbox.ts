// The built-in chat workspace, where there is one.
import { t } from "@lingui/core/macro";
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

export type Sandbox = Schemas["Sandbox"];
export type SandboxUser = Schemas["SandboxUser"];

export const sandboxQuery = queryOptions({
  queryKey: ["sandbox"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/sandbox", { signal }))).sandbox,
  staleTime: 10 * 60_000,
});

/** Makes a workspace, with us as its owner, and connects the account with it. */
export async function makeSandbox(): Promise<Sandbox> {
  return (await ask(api.POST("/v1/rest/sandbox"))).sandbox;
}

/** A token to act as this person. It is held in memory only. */
export const sandboxTokenQuery = (userId: string) =>
  queryOptions({
    queryKey: ["sandbox-token", userId],
    queryFn: async () => (await ask(api.POST("/v1/rest/sandbox/token", { body: { user_id: userId } }))).token.secret,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The company a person works for: the workspace's own for the team, and the end of the title for customers. */
export function companyOf(user: SandboxUser, sandbox: Sandbox): string {
  if (domainOf(user) === domainOf(sandbox.users.find((u) => u.is_owner))) return sandbox.team_name ?? t`your team`;
  return user.title?.split(", ").at(-1) ?? domainOf(user);
}

export function domainOf(user: SandboxUser | undefined): string {
  return user?.email?.split("@").at(-1) ?? "";
}

/** The people of other companies: those who ask for something. */
export function customersOf(sandbox: Sandbox): SandboxUser[] {
  const ours = domainOf(sandbox.users.find((u) => u.is_owner));
  return sandbox.users.filter((u) => domainOf(u) !== ours);
}
