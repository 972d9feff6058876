// Webhooks and the log of their deliveries.
import { msg } from "@lingui/core/macro";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { follow } from "./live";
import { everyPage } from "./people";
import { table } from "../texts/table";

export type Webhook = Schemas["Webhook"];
export type ShownWebhook = Schemas["ShownWebhookAnswer"]["webhook"];
export type WebhookEventType = Schemas["WebhookEventType"];
export type Delivery = Schemas["Delivery"];
export type WholeDelivery = Schemas["DeliveryAnswer"]["delivery"];
export type DeliveryStatus = Schemas["DeliveryStatus"];

// Every type must be named, so that a new one in the API document asks to be offered.
export const eventTypes = table<WebhookEventType>({
  "request.created": msg`Request created`,
  "request.updated": msg`Request updated`,
  "request.deleted": msg`Request deleted`,
  "message.created": msg`Public message posted`,
  "ticket.created": msg`Ticket created`,
  "ticket.linked": msg`Ticket linked`,
  "sla.breached": msg`SLA missed`,
  "csat.received": msg`Survey answered`,
  "customer.created": msg`Customer created`,
  "customer.updated": msg`Customer updated`,
  "announcement.sent": msg`Announcement sent`,
  "account.updated": msg`Account updated`,
  "member.created": msg`Person added`,
  "member.updated": msg`Person updated`,
  "member.deleted": msg`Person removed`,
  "email.sent": msg`Email sent`,
  "email.failed": msg`Email not delivered`,
});

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: () =>
    everyPage<Webhook>(async (next_cursor) => {
      const { webhooks, response_metadata } = await ask(api.GET("/v1/rest/webhooks", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: webhooks, next: response_metadata.next_cursor };
    }),
  staleTime: 0,
});

export const webhookQuery = (id: number) =>
  queryOptions({
    queryKey: ["webhook", id],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/webhooks/{id}", { params: { path: { id } }, signal }))).webhook,
    staleTime: 0,
  });

// There is no event for deliveries, so an open log is polled while a delivery is
// pending, and for a while after any event, because a job adds its delivery later.
const pace = 1500;
const expecting = 10_000;
let expectedUntil = 0;

function expectDeliveries() {
  expectedUntil = Date.now() + expecting;
  return queryClient.invalidateQueries({ queryKey: ["deliveries"] }, { cancelRefetch: false });
}
follow(() => void expectDeliveries());

/** The log is not polled for an attempt that is further away than this. */
const soon = 60_000;

function onItsWay(d: Delivery): boolean {
  return d.status === "waiting" && (d.next_try_at === null || Date.parse(d.next_try_at) - Date.now() < soon);
}

export const deliveriesQuery = (id: number, status: DeliveryStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: ["deliveries", id, status ?? "all"],
    queryFn: async ({ pageParam, signal }) =>
      ask(api.GET("/v1/rest/webhooks/{id}/deliveries", { params: { path: { id }, query: { limit: 25, ...(status && { status }), ...(pageParam && { next_cursor: pageParam }) } }, signal })),
    initialPageParam: "",
    getNextPageParam: (last) => last.response_metadata.next_cursor,
    refetchInterval: (query) => (Date.now() < expectedUntil || query.state.data?.pages.some((p) => p.deliveries.some(onItsWay)) ? pace : false),
    staleTime: 0,
  });

export const deliveryQuery = (id: number, delivery: number) =>
  queryOptions({
    queryKey: ["delivery", id, delivery],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/webhooks/{id}/deliveries/{delivery}", { params: { path: { id, delivery } }, signal }))).delivery,
    refetchInterval: (query) => (query.state.data && onItsWay(query.state.data) ? pace : false),
    staleTime: 0,
  });

function keep(webhook: Webhook) {
  queryClient.setQueryData(webhookQuery(webhook.id).queryKey, webhook);
  queryClient.setQueryData(webhooksQuery.queryKey, (all) => all?.map((w) => (w.id === webhook.id ? webhook : w)));
}

export async function makeWebhook(body: { url: string; event_types: WebhookEventType[] }): Promise<ShownWebhook> {
  const { webhook } = await ask(api.POST("/v1/rest/webhooks", { body }));
  void queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  return webhook;
}

export async function changeWebhook(id: number, body: { url?: string; event_types?: WebhookEventType[]; enabled?: boolean; skip_missed?: boolean }): Promise<void> {
  keep((await ask(api.PATCH("/v1/rest/webhooks/{id}", { params: { path: { id } }, body }))).webhook);
  await expectDeliveries();
}

export async function removeWebhook(id: number): Promise<void> {
  await queryClient.cancelQueries({ queryKey: ["deliveries", id] }); // it would come too late
  await ask(api.DELETE("/v1/rest/webhooks/{id}", { params: { path: { id } } }));
  queryClient.setQueryData(webhooksQuery.queryKey, (all) => all?.filter((w) => w.id !== id));
}

/** A new secret; the one before it signs along for a day. */
export async function rotateWebhook(id: number): Promise<ShownWebhook> {
  return (await ask(api.POST("/v1/rest/webhooks/{id}/rotate", { params: { path: { id } }, body: {} }))).webhook;
}

export async function testWebhook(id: number): Promise<WholeDelivery> {
  const { delivery } = await ask(api.POST("/v1/rest/webhooks/{id}/test", { params: { path: { id } } }));
  await expectDeliveries();
  return delivery;
}

export async function replayWebhook(id: number, what: { event_id: string } | { after: string; before?: string }): Promise<void> {
  await ask(api.POST("/v1/rest/webhooks/{id}/replay", { params: { path: { id } }, body: what }));
  await expectDeliveries();
}
