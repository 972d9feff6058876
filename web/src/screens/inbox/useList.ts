// The list that the address bar asks for, as it is loaded so far.
import { t } from "@lingui/core/macro";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { type ListedRequest, knownRequest, nameOf, refreshRequests, requestsQuery, useNamedRequest } from "../../data/requests";
import { tellProblem } from "../../tell";
import { type Filters, backOf, shown, toAddress, toQuery } from "./filters";

const none: ListedRequest[] = [];

export function useList() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  const address = useSearch({ from: "/frame/requests" });
  const id = useParams({ strict: false }).id;
  // An address may name something that is no request; then the request's screen says so.
  const open = useNamedRequest(id).id;
  const filters = useMemo(() => shown(address), [address]);
  const query = useMemo(() => toQuery(filters), [filters]);

  // The route's loader reads it. It is not refetched when invalidated: that would read every page that was scrolled
  // past, and the event stream reports each change anyway.
  const list = useInfiniteQuery({ ...requestsQuery(query), enabled: false });
  const backQuery = useMemo(() => backOf(query), [query]);
  const back = useInfiniteQuery({ ...requestsQuery(backQuery ?? query), enabled: false });
  const rows = useMemo(() => {
    if (!list.data) return none;
    const listed = list.data.pages.flatMap((p) => p.requests);
    if (!backQuery) return everyOnce(listed);
    return withBackOnTop(everyOnce([...(back.data?.pages.flatMap((p) => p.requests) ?? []).filter((r) => r.snooze?.back), ...listed]));
  }, [list.data, back.data, backQuery]);

  const refresh = useCallback(async () => {
    const all = [query, ...(backQuery ? [backQuery] : [])];
    await Promise.all(all.map((q) => refreshRequests(client, q))).catch((error: unknown) => tellProblem(error, t`The list was not refreshed.`));
  }, [client, query, backQuery]);
  // What the address leads to. It may not be drawn yet: keys can follow each other faster.
  const named = useCallback(() => {
    const name = /^\/requests\/([^/]+)$/.exec(router.history.location.pathname)?.[1];
    return name === undefined ? null : decodeURIComponent(name);
  }, [router]);
  const opening = useCallback(() => {
    const name = named();
    return name === null ? null : knownRequest(client, name);
  }, [client, named]);
  // The same function whatever is open: what stands around the list is not drawn again each time.
  const narrow = useCallback(
    (next: Filters) => {
      const id = named();
      void (id === null ? navigate({ to: "/requests", search: toAddress(next) }) : navigate({ to: "/requests/$id", params: { id }, search: toAddress(next) }));
    },
    [navigate, named],
  );
  // Opening a request is a step that Back undoes. Whoever goes on from one to the next takes no further step, so that
  // Back leads to the list and not through everything that was passed.
  const show = useCallback(
    (next: number | null, goesOn = false) => {
      if (next === null) void navigate({ to: "/requests", search: address });
      else if (next !== opening()) void navigate({ to: "/requests/$id", params: { id: nameOf(client, next) }, search: address, replace: goesOn });
    },
    [client, navigate, address, opening],
  );
  return { filters, query, list, rows, open, opening, isOpen: id !== undefined, refresh, narrow, show };
}

/** What came back from a snooze stands on top, the last first, until somebody does something with it. */
function withBackOnTop(rows: ListedRequest[]): ListedRequest[] {
  const isBack = rows.filter((r) => r.snooze?.back);
  if (isBack.length === 0) return rows;
  const since = (r: ListedRequest) => r.snooze?.back?.at ?? "";
  return [...isBack.sort((a, b) => (since(a) < since(b) ? 1 : -1)), ...rows.filter((r) => !r.snooze?.back)];
}

/** Pages that are ordered by the last update may have a request twice. */
function everyOnce(rows: ListedRequest[]): ListedRequest[] {
  const seen = new Set<number>();
  return rows.filter((r) => !seen.has(r.id) && seen.add(r.id));
}
