// The companies that people write for.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { everyPage } from "./people";

export type Customer = Schemas["Customer"];

/** All of them, to choose from and to name by id. */
export const customersQuery = queryOptions({
  queryKey: ["customers"],
  queryFn: () =>
    everyPage<Customer>(async (next_cursor) => {
      const { customers, response_metadata } = await ask(api.GET("/v1/rest/customers", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: customers, next: response_metadata.next_cursor };
    }),
  staleTime: 5 * 60_000,
});

/** The customer with this id; null until known. */
export function useCustomer(id: number | null | undefined): Customer | null {
  return useQuery({ ...customersQuery, enabled: Boolean(id) }).data?.find((c) => c.id === id) ?? null;
}
