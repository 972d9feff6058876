// One customer with its requests, and figures for each customer.
import { t } from "@lingui/core/macro";
import { type QueryClient, queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Problem, type Schemas, api, ask } from "../api/client";
import { type Customer, customersQuery } from "./customers";
import { type Query, full, insightsQuery } from "./insights";
import { follow } from "./live";
import { everyPage } from "./people";
import type { ListedRequest, RequestFilters } from "./requests";

export type CustomerChange = Omit<Schemas["CustomerChange"], "version">;
export type NewCustomer = Schemas["NewCustomer"];
export type CustomField = Schemas["CustomField"];
export type Channel = Schemas["Channel"];

export const openStates = ["open", "in_progress", "pending", "on_hold"];

export const customerQuery = (id: number) =>
  queryOptions({
    queryKey: ["customer", id],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/customers/{id}", { params: { path: { id } }, signal }))).customer,
  });

/** What it has written: what is open, or whatever is newest. */
export const customerRequestsQuery = (id: number, which: "open" | "all") =>
  queryOptions({
    queryKey: ["customer", id, "requests", which],
    queryFn: async ({ signal }): Promise<ListedRequest[]> => {
      const filters = { customer_id: [String(id)], ...(which === "open" && { state: openStates }) } as RequestFilters;
      return (await ask(api.GET("/v1/rest/requests", { params: { query: { ...filters, limit: which === "open" ? 20 : 50 } }, signal }))).requests;
    },
    staleTime: 30_000,
  });

export const customerFieldsQuery = queryOptions({
  queryKey: ["customer-fields"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/custom-fields", { params: { query: { entity_type: "customer" } }, signal }))).custom_fields,
  staleTime: 5 * 60_000,
});

/** The chat channels, to name by id and to choose from. */
export const customerChannelsQuery = queryOptions({
  queryKey: ["customer-channels"],
  queryFn: () =>
    everyPage<Channel>(async (next_cursor) => {
      const { channels, response_metadata } = await ask(api.GET("/v1/rest/channels", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: channels, next: response_metadata.next_cursor };
    }),
  staleTime: 5 * 60_000,
});

const allTime = [{ dimension: full("created_at") }];

/** How many requests of each customer are open: one query for all of them. */
export const openByCustomerQuery = insightsQuery({
  measures: [full("count")],
  time_dimensions: allTime,
  dimensions: [full("customer_id")],
  filters: [{ member: full("state"), operator: "equals", values: openStates }],
} satisfies Query);

/** What each customer thinks: one query, too. */
export const satisfactionByCustomerQuery = insightsQuery({
  measures: ["csat_score_avg", "csat_received_request_count", "csat_two_point_positive_responses_count", "csat_received_request_count_two_point_survey"].map(full),
  time_dimensions: allTime,
  dimensions: [full("customer_id")],
} satisfies Query);

export type LastActivity = {
  /** When each customer was last active. */
  at: Map<number, string>;
  /** Customers that are missing from `at` were last active before this; null when all requests were read. */
  since: string | null;
};

const mostPages = 3;

/** When something was last said in a request, by the customer or by us. The API's `last_message_time` is the requester's alone. */
export function lastSaid({ last_message, last_message_time }: Pick<ListedRequest, "last_message" | "last_message_time">): string {
  return last_message && last_message.created_at > last_message_time ? last_message.created_at : last_message_time;
}

/** When something was last said with customers, from the requests that changed last. */
export const lastActivityQuery = queryOptions({
  queryKey: ["customers", "activity"],
  queryFn: async ({ signal }): Promise<LastActivity> => {
    const at = new Map<number, string>();
    let since: string | null = null;
    let next_cursor: string | null = null;
    for (let page = 0; page < mostPages; page++) {
      const listed: Schemas["RequestList"] = await ask(api.GET("/v1/rest/requests", { params: { query: { filter_by: "updated_at", limit: 100, ...(next_cursor && { next_cursor }) } }, signal }));
      for (const r of listed.requests) {
        const was = r.customer_id === null ? "~" : (at.get(r.customer_id) ?? "");
        if (r.customer_id !== null && lastSaid(r) > was) at.set(r.customer_id, lastSaid(r));
        since = r.updated_at;
      }
      next_cursor = listed.response_metadata.next_cursor;
      if (next_cursor === null) return { at, since: null };
    }
    return { at, since };
  },
  staleTime: 60_000,
});

export async function createCustomer(client: QueryClient, body: NewCustomer): Promise<Customer> {
  const { customer } = await ask(api.POST("/v1/rest/customers", { body }));
  client.setQueryData(customerQuery(customer.id).queryKey, customer);
  void client.invalidateQueries({ queryKey: customersQuery.queryKey, exact: true });
  return customer;
}

// A change names the version it is based on, so the next one has to wait for the
// answer: two at the same time would conflict.
let last: Promise<unknown> = Promise.resolve();

/** Changes a customer. When somebody else changed it in between, it throws a Problem and loads the current version. */
export function changeCustomer(client: QueryClient, id: number, change: CustomerChange): Promise<Customer> {
  const mine = last
    .catch(() => {})
    .then(async () => {
      const seen = await client.ensureQueryData(customerQuery(id));
      try {
        const { customer } = await ask(api.PATCH("/v1/rest/customers/{id}", { params: { path: { id } }, body: { ...change, version: seen.version } }));
        client.setQueryData(customerQuery(id).queryKey, customer);
        client.setQueryData(customersQuery.queryKey, (all) => all?.map((c) => (c.id === id ? customer : c)));
        return customer;
      } catch (e) {
        if (!(e instanceof Problem) || e.status !== 409) throw e;
        await client.invalidateQueries({ queryKey: customerQuery(id).queryKey, exact: true });
        throw new Problem(t`Someone else changed this customer in the meantime. The current version is shown. Make your change again if it is still needed.`, 409);
      }
    });
  last = mine;
  return mine;
}

/** Shows what others change of customers and their requests. */
export function useCustomersLive() {
  const client = useQueryClient();
  useEffect(
    () =>
      follow((events) => {
        if (events.some((e) => e.type.startsWith("customer."))) {
          void client.invalidateQueries({ queryKey: ["customers"] });
          void client.invalidateQueries({ queryKey: ["customer"] });
        } else if (events.some((e) => e.type.startsWith("request.") || e.type === "message.created")) {
          void client.invalidateQueries({ queryKey: ["customers", "activity"] });
          void client.invalidateQueries({ queryKey: ["customer"], predicate: (q) => q.queryKey[2] === "requests" });
          void client.invalidateQueries({ queryKey: openByCustomerQuery.queryKey });
        }
      }),
    [client],
  );
}
