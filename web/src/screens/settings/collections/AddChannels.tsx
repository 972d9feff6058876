import { plural, t } from "@lingui/core/macro";
import { MultiSelect, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ChannelCustomer, addChannels, changeChannel, channelsQuery } from "../../../data/channels";
import { type Collection, collectionsQuery } from "../../../data/collections";
import { queryClient } from "../../../data/client";
import { customersQuery } from "../../../data/customers";
import { Dialog } from "../../../parts/Dialog";
import { DialogForm } from "../../../parts/DialogForm";
import { Refused } from "../../../parts/states";
import { tell } from "../../../tell";

/** Chooses channels whose messages are to be requests. */
export function AddChannels({ opened, close, collection }: { opened: boolean; close: () => void; collection: Collection }) {
  const { name } = collection;
  return (
    <Dialog opened={opened} onClose={close} title={t`Add channels to ${name}`}>
      <Form close={close} collection={collection} />
    </Dialog>
  );
}

const none = "none";
const anew = "new";

function Form({ close, collection }: { close: () => void; collection: Collection }) {
  const channels = useQuery(channelsQuery);
  const collections = useQuery(collectionsQuery).data ?? [];
  const customers = useQuery(customersQuery).data ?? [];
  const { name } = collection;
  const [chosen, setChosen] = useState<string[]>([]);
  const [customer, setCustomer] = useState<string>(none);

  // A channel has one purpose, so those that serve already for something else are not offered.
  const serving = new Set(collections.flatMap((c) => [c.request_channel_id, c.triage_channel_id]));
  const offered = (channels.data ?? []).filter((c) => !c.is_archived && !serving.has(c.id) && !(c.status === "active" && c.collection_id === collection.id));
  const elsewhere = offered.filter((c) => c.status === "active");
  const free = offered.filter((c) => c.status !== "active");
  const item = (c: { id: string; name: string }) => ({ value: c.id, label: `#${c.name}` });
  const data = [
    { group: t`Not in use`, items: free.map(item) },
    { group: t`In other collections (will be moved)`, items: elsewhere.map(item) },
  ].filter((g) => g.items.length > 0);

  const add = async () => {
    const fresh = chosen.filter((id) => free.some((c) => c.id === id));
    const of: ChannelCustomer | null = customer === none ? null : customer === anew ? { type: "new" } : { type: "existing", id: Number(customer) };
    if (fresh.length > 0)
      await addChannels(
        collection.id,
        fresh.map((id) => ({ id, ...(of && { customer: of }) })),
      );
    for (const id of chosen.filter((id) => elsewhere.some((c) => c.id === id))) await changeChannel(id, { collection_id: collection.id });
  };
  const done = () => {
    if (customer !== none) void queryClient.invalidateQueries({ queryKey: customersQuery.queryKey });
    const added = chosen.length;
    tell(plural(added, { one: "Channel added.", other: "# channels added." }));
    close();
  };
  return (
    <DialogForm send={add} done={done} close={close} yes={t`Add`} ready={chosen.length > 0}>
      {() => (
        <>
          <Refused error={channels.error} />
          <MultiSelect
            label={t`Channels`}
            description={t`The bot joins them. Archived channels and channels used for something else are not listed.`}
            placeholder={chosen.length === 0 ? t`Choose channels` : ""}
            searchable
            data-autofocus
            data={data}
            value={chosen}
            onChange={setChosen}
            maxValues={100}
            limit={200}
            nothingFoundMessage={channels.isPending ? t`Loading…` : t`No channel found`}
          />
          <Select
            label={t`Customer`}
            description={t`Requests in these channels belong to this customer.`}
            searchable
            allowDeselect={false}
            data={[{ value: none, label: t`No change` }, { value: anew, label: t`New customer for each channel, named after it` }, ...customers.map((c) => ({ value: String(c.id), label: c.name }))]}
            value={customer}
            onChange={(c) => setCustomer(c ?? none)}
          />
          {chosen.some((id) => elsewhere.some((c) => c.id === id)) && (
            <Text size="sm" c="dimmed">
              {t`New messages in the moved channels will belong to ${name}. Their customers stay the same.`}
            </Text>
          )}
        </>
      )}
    </DialogForm>
  );
}
