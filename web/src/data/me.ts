// Who is here, and what they may do.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

export type Me = Schemas["MeAnswer"]["me"];
export type Role = Schemas["Member"]["role"];

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/me", { signal }))).me,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Who is here; null until that is known. */
export function useMe(): Me | null {
  return useQuery(meQuery).data ?? null;
}

export function useIsAdmin(): boolean {
  return useMe()?.member.role === "admin";
}

/** Whether they are somebody in the chat system, as insights require; null until that is known. */
export function useHasProfile(): boolean | null {
  const me = useMe();
  return me && me.user !== null;
}

/** Whether changes are theirs to make: viewers only look. */
export function useMayWrite(): boolean {
  const role = useMe()?.member.role;
  return role === "admin" || role === "agent";
}
