// The list that the address bar asks for, as it is loaded so far.
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { type ListedRequest, refreshRequests, requestsQuery } from "../../data/requests";
import { tellProblem } from "../../parts/tell";
import { type Filters, shown, toAddress, toQuery } from "./filters";

const none: ListedRequest[] = [];

export function useList() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const address = useSearch({ from: "/frame/requests" });
  const id = useParams({ strict: false }).id;
  const open = id === undefined ? null : Number(id);
  const filters = useMemo(() => shown(address), [address]);
  const query = useMemo(() => toQuery(filters), [filters]);

  // The route's loader asks for it. What is invalidated is not read again by itself: that would be every page that was ever
  // scrolled past, where the stream tells of each change anyway.
  const list = useInfiniteQuery({ ...requestsQuery(query), enabled: false });
  const rows = useMemo(() => (list.data ? everyOnce(list.data.pages.flatMap((p) => p.requests)) : none), [list.data]);

  const refresh = useCallback(() => refreshRequests(client, query).catch((error: unknown) => tellProblem(error, "The list is as it was.")), [client, query]);
  const narrow = useCallback(
    (next: Filters, options?: { replace?: boolean }) => void navigate({ to: open === null ? "/requests" : "/requests/$id", params: { id: String(open) }, search: toAddress(next), ...options }),
    [navigate, open],
  );
  const show = useCallback(
    (id: number | null, options?: { replace?: boolean }) =>
      void (id === null ? navigate({ to: "/requests", search: address, ...options }) : navigate({ to: "/requests/$id", params: { id: String(id) }, search: address, ...options })),
    [navigate, address],
  );
  return { filters, query, list, rows, open, refresh, narrow, show };
}

/** Pages that are ordered by the last update may have a request twice. */
function everyOnce(rows: ListedRequest[]): ListedRequest[] {
  const seen = new Set<number>();
  return rows.filter((r) => !seen.has(r.id) && seen.add(r.id));
}
