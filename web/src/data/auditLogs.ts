// What was done in the account.
import { infiniteQueryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

/** `before` and `after` have whatever shape the API had at that time. */
export type AuditLog = Omit<Schemas["AuditLog"], "before" | "after"> & { before: unknown; after: unknown };

export type AuditFilter = { actor?: number; action?: string; resource_type?: string; resource_id?: string; after?: string; before?: string };

export const auditLogsQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit-logs", filter],
    queryFn: ({ pageParam, signal }) => ask(api.GET("/v1/rest/audit-logs", { params: { query: { ...filter, limit: 50, ...(pageParam && { next_cursor: pageParam }) } }, signal })),
    initialPageParam: "",
    getNextPageParam: (last) => last.response_metadata.next_cursor,
    staleTime: 0,
  });

/** The address of the export file for a filter. */
export function exportAddress(filter: AuditFilter, format: "csv" | "jsonl"): string {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  return `/v1/rest/audit-logs/export?${query}`;
}
