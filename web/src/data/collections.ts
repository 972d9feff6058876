// Groups of requests with those who answer them.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { everyPage } from "./people";

export type Collection = Schemas["Collection"];

/** All that one has, with their channels, to choose from and to name by id. Every screen reads this one list. */
export const collectionsQuery = queryOptions({
  queryKey: ["collections"],
  queryFn: () =>
    everyPage<Collection>(async (next_cursor) => {
      const { collections, response_metadata } = await ask(api.GET("/v1/rest/collections", { params: { query: { include: "channels", limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: collections, next: response_metadata.next_cursor };
    }),
  staleTime: 5 * 60_000,
});

export type CollectionKind = Collection["kind"];
export type CollectionChange = Partial<Omit<Schemas["NewCollection"], "kind">>;
export type Responder = Schemas["NewResponder"];

/** One with its channels, also the inactive ones. */
export const collectionQuery = (id: number) =>
  queryOptions({
    queryKey: ["collection", id],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/collections/{id}", { params: { path: { id }, query: { include: "channels" } }, signal }))).collection,
  });

export type Retention = Schemas["Retention"];
export type Expiring = Schemas["Expiring"];

/** What a collection would delete if it kept things for so long. */
export const retentionPreviewQuery = (id: number, { messages_days, files_days }: Retention) =>
  queryOptions({
    queryKey: ["retention", id, messages_days, files_days],
    queryFn: async ({ signal }) => {
      const query = { ...(messages_days !== null && { messages_days }), ...(files_days !== null && { files_days }) };
      return (await ask(api.GET("/v1/rest/collections/{id}/retention", { params: { path: { id }, query }, signal }))).retention;
    },
  });

/** Whether whoever looks hears of its new requests. */
export const muteQuery = (id: number) =>
  queryOptions({
    queryKey: ["mute", id],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/collections/{id}/mute", { params: { path: { id } }, signal }))).mute.muted,
  });

/** Reads again what names collections and their channels; but not the one that is gone, whose page is still there. */
export function readCollectionsAgain(gone?: number) {
  for (const key of ["collections", "collection", "channels"]) void queryClient.invalidateQueries({ queryKey: [key], predicate: (q) => gone === undefined || q.queryKey[1] !== gone });
}

export async function makeCollection(body: Schemas["NewCollection"]): Promise<Collection> {
  const { collection } = await ask(api.POST("/v1/rest/collections", { body }));
  readCollectionsAgain();
  void queryClient.invalidateQueries({ queryKey: ["me"] }); // the first of the API is named by the account
  return collection;
}

export async function changeCollection(id: number, body: CollectionChange): Promise<void> {
  const { collection } = await ask(api.PATCH("/v1/rest/collections/{id}", { params: { path: { id } }, body }));
  const changed = (old?: Collection) => ({ ...collection, ...(old?.channels && { channels: old.channels }) }); // a change answers without the channels
  queryClient.setQueryData(collectionQuery(id).queryKey, changed);
  queryClient.setQueryData(collectionsQuery.queryKey, (all) => all?.map((c) => (c.id === id ? changed(c) : c)));
}

export async function removeCollection(id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/collections/{id}", { params: { path: { id } } }));
  queryClient.setQueryData(collectionsQuery.queryKey, (all) => all?.filter((c) => c.id !== id));
  readCollectionsAgain(id);
  void queryClient.invalidateQueries({ queryKey: ["me"] });
}

export type EmailConfig = NonNullable<Collection["email_config"]>;
export type EmailConfigChange = NonNullable<CollectionChange["email_config"]>;

/** Sends a test mail to the collection's address and waits until it came back, for half a minute at most. */
export async function testMail(id: number): Promise<Schemas["EmailTest"]> {
  const test = await ask(api.POST("/v1/rest/collections/{id}/email/test", { params: { path: { id } }, body: {} }));
  if (test.verified) readCollectionsAgain();
  return test;
}

/** The DNS records that mail of the collection's address needs, and whether they are there. */
export const mailRecordsQuery = (id: number, address: string) =>
  queryOptions({
    queryKey: ["mail records", id, address],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/collections/{id}/email/records", { params: { path: { id } }, signal }))).records,
    staleTime: 60_000,
  });

export async function setMuted(id: number, muted: boolean): Promise<void> {
  const params = { params: { path: { id } } };
  if (muted) await ask(api.PUT("/v1/rest/collections/{id}/mute", params));
  else await ask(api.DELETE("/v1/rest/collections/{id}/mute", params));
  queryClient.setQueryData(muteQuery(id).queryKey, muted);
}
