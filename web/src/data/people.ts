// The people and teams that requests name by id.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

export type User = Schemas["User"];
export type Team = Schemas["Team"];

/** Reads every page of a list that is known to be small enough to have whole. */
export async function everyPage<T>(page: (cursor: string | undefined) => Promise<{ items: T[]; next: string | null }>, most = 20): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let i = 0; i < most; i++) {
    const { items, next } = await page(cursor);
    all.push(...items);
    if (next === null) break;
    cursor = next;
  }
  return all;
}

// A workspace may have ten thousand people, so they are read by id. All ids that one
// rendering needs are read in one call.
let wanted = new Map<string, { resolve: (u: User | null) => void; reject: (e: unknown) => void }[]>();
const mostIds = 100;

function userById(id: string): Promise<User | null> {
  return new Promise((resolve, reject) => {
    if (wanted.size === 0) setTimeout(fetchWanted);
    const waiting = wanted.get(id);
    if (waiting) waiting.push({ resolve, reject });
    else wanted.set(id, [{ resolve, reject }]);
  });
}

async function fetchWanted() {
  const asked = [...wanted];
  wanted = new Map();
  for (let i = 0; i < asked.length; i += mostIds) {
    const part = asked.slice(i, i + mostIds);
    try {
      const { users } = await ask(api.GET("/v1/rest/users", { params: { query: { ids: part.map(([id]) => id), limit: mostIds } } }));
      const found = new Map(users.map((u) => [u.id, u]));
      for (const [id, waiting] of part) for (const w of waiting) w.resolve(found.get(id) ?? null);
    } catch (e) {
      for (const [, waiting] of part) for (const w of waiting) w.reject(e);
    }
  }
}

export const userQuery = (id: string) => queryOptions({ queryKey: ["user", id], queryFn: () => userById(id), staleTime: 10 * 60_000 });

/** Somebody in the chat system; null until known, and where there is nobody with this id. */
export function useUser(id: string | null | undefined): User | null {
  return useQuery({ ...userQuery(id ?? ""), enabled: Boolean(id) }).data ?? null;
}

/** The people whose names or emails begin so. */
export const usersFound = (query: string) =>
  queryOptions({
    queryKey: ["users", query],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/users", { params: { query: { ...(query && { query }), limit: 20 } }, signal }))).users.filter((u) => !u.is_bot),
    staleTime: 60_000,
  });

/**
 * People a request can be assigned to whose name or email starts with the query. Members of the account and responders
 * of the collection come first, then everybody else in the workspace.
 */
export const assigneesFound = (query: string, collectionId: number | null) =>
  queryOptions({
    queryKey: ["users", "assignable", String(collectionId), query],
    queryFn: async ({ signal }) => {
      const assignable = { assignable: true, limit: 20, ...(query && { query }) };
      const of = (more: { collection_id?: number }) => ask(api.GET("/v1/rest/users", { params: { query: { ...assignable, ...more } }, signal })).then((answer) => answer.users);
      // A collection may have been removed since, and has no desk then.
      const [atDesk, all] = await Promise.all([collectionId === null ? [] : of({ collection_id: collectionId }).catch(() => []), of({})]);
      return [...atDesk, ...all.filter((u) => !atDesk.some((d) => d.id === u.id))];
    },
    staleTime: 60_000,
  });

export const teamsQuery = queryOptions({
  queryKey: ["teams"],
  queryFn: () =>
    everyPage<Team>(async (next_cursor) => {
      const { teams, response_metadata } = await ask(api.GET("/v1/rest/teams", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: teams, next: response_metadata.next_cursor };
    }),
  staleTime: 10 * 60_000,
});

/** The team with this id; null until known. */
export function useTeam(id: number | null | undefined): Team | null {
  return useQuery({ ...teamsQuery, enabled: Boolean(id) }).data?.find((t) => t.id === id) ?? null;
}
