// The list that the address bar asks for, as it is loaded so far.
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { type ListedRequest, refreshRequests, requestsQuery } from "../../data/requests";
import { tellProblem } from "../../tell";
import { type Filters, shown, toAddress, toQuery } from "./filters";

const none: ListedRequest[] = [];

export function useList() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const address = useSearch({ from: "/frame/requests" });
  const id = useParams({ strict: false }).id;
  // An address may name something that is no request; then the request's screen says so.
  const open = id !== undefined && /^[1-9]\d{0,15}$/.test(id) ? Number(id) : null;
  const filters = useMemo(() => shown(address), [address]);
  const query = useMemo(() => toQuery(filters), [filters]);

  // The route's loader reads it. It is not refetched when invalidated: that would read every page that was scrolled
  // past, and the event stream reports each change anyway.
  const list = useInfiniteQuery({ ...requestsQuery(query), enabled: false });
  const rows = useMemo(() => (list.data ? everyOnce(list.data.pages.flatMap((p) => p.requests)) : none), [list.data]);

  const refresh = useCallback(() => refreshRequests(client, query).catch((error: unknown) => tellProblem(error, "The list was not refreshed.")), [client, query]);
  const narrow = useCallback(
    (next: Filters) => void (id === undefined ? navigate({ to: "/requests", search: toAddress(next) }) : navigate({ to: "/requests/$id", params: { id }, search: toAddress(next) })),
    [navigate, id],
  );
  // Each request is a step of its own, so that Back leads to the one before.
  const show = useCallback(
    (next: number | null) => {
      if (next === null) void navigate({ to: "/requests", search: address });
      else if (String(next) !== id) void navigate({ to: "/requests/$id", params: { id: String(next) }, search: address });
    },
    [navigate, address, id],
  );
  return { filters, query, list, rows, open, isOpen: id !== undefined, refresh, narrow, show };
}

/** Pages that are ordered by the last update may have a request twice. */
function everyOnce(rows: ListedRequest[]): ListedRequest[] {
  const seen = new Set<number>();
  return rows.filter((r) => !seen.has(r.id) && seen.add(r.id));
}
