// Channels of the chat system, and the collections that they are in.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { locale } from "../texts";
import { readCollectionsAgain } from "./collections";
import { everyPage } from "./people";

export type Channel = Schemas["Channel"];
export type ChannelCustomer = NonNullable<Schemas["NewChannels"]["channels"][number]["customer"]>;

/** All that one may see, by name. */
export const channelsQuery = queryOptions({
  queryKey: ["channels"],
  queryFn: async () => {
    const all = await everyPage<Channel>(async (next_cursor) => {
      const { channels, response_metadata } = await ask(api.GET("/v1/rest/channels", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: channels, next: response_metadata.next_cursor };
    }, 100);
    return all.sort((a, b) => a.name.localeCompare(b.name, locale));
  },
  staleTime: 5_000, // who looks for a channel has often just made it, or invited our bot
});

/** The channel with this id; null until known. */
export function useChannel(id: string | null): Channel | null {
  return useQuery({ ...channelsQuery, enabled: id !== null }).data?.find((c) => c.id === id) ?? null;
}

export async function addChannels(collection: number, channels: Schemas["NewChannels"]["channels"]): Promise<void> {
  await ask(api.POST("/v1/rest/collections/{id}/channels", { params: { path: { id: collection } }, body: { channels } }));
  readCollectionsAgain();
}

/** Makes a channel inactive: what is written there is no request any more. */
export async function removeChannel(id: string): Promise<void> {
  await ask(api.DELETE("/v1/rest/channels/{id}", { params: { path: { id } } }));
  readCollectionsAgain();
}

export async function changeChannel(id: string, body: { collection_id: number } | { owner: string | null }): Promise<void> {
  await ask(api.PATCH("/v1/rest/channels/{id}", { params: { path: { id } }, body }));
  readCollectionsAgain();
}
