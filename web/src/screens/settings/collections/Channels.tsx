import { Button, Group, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { addChannels, changeChannel, removeChannel } from "../../../data/channels";
import type { Collection } from "../../../data/collections";
import { Question } from "../../../parts/Question";
import { SavedField } from "../../../parts/SavedField";
import { PersonSelect } from "../../../parts/person";
import { tell, tellProblem } from "../../../tell";
import { Row, Rows } from "../Rows";
import { Word } from "../Word";
import { AddChannels } from "./AddChannels";

type Channel = NonNullable<Collection["channels"]>[number];

/** The channels of a chat collection, those that were in it as well. */
export function Channels({ collection }: { collection: Collection }) {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Channel | null>(null);
  const channels = [...(collection.channels ?? [])].sort((a, b) => a.status.localeCompare(b.status) || a.name.localeCompare(b.name));
  const again = async (c: Channel) => {
    try {
      await addChannels(collection.id, [{ id: c.id }]);
      tell(`#${c.name} activated.`);
    } catch (e) {
      tellProblem(e, `#${c.name} is still inactive.`);
    }
  };
  return (
    <>
      {channels.length === 0 ? (
        <Text c="dimmed">No channels yet. Add the ones your customers write in.</Text>
      ) : (
        <Rows label="Channels">
          {channels.map((c) => (
            <Row
              key={c.id}
              action={
                <>
                  <SavedField value={c.owner} save={(owner) => changeChannel(c.id, { owner })}>
                    {({ value, set, error }) => <PersonSelect aria-label={`Owner of #${c.name}`} placeholder="No owner" value={value} onChange={set} error={error} w={180} size="xs" />}
                  </SavedField>
                  {c.status === "active" ? (
                    <Button variant="default" aria-label={`Remove #${c.name}`} onClick={() => setRemoving(c)}>
                      Remove
                    </Button>
                  ) : (
                    <Button variant="default" aria-label={`Activate #${c.name}`} onClick={() => void again(c)}>
                      Activate
                    </Button>
                  )}
                </>
              }
            >
              <Group gap="xs">
                <Text fw={550}>#{c.name}</Text>
                {c.status === "inactive" && <Word tone="plain">Inactive</Word>}
              </Group>
            </Row>
          ))}
        </Rows>
      )}
      <div>
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          Add channels
        </Button>
      </div>
      <AddChannels opened={adding} close={() => setAdding(false)} collection={collection} />
      <Question
        opened={removing !== null}
        close={() => setRemoving(null)}
        title={`Remove #${removing?.name ?? ""}?`}
        yes="Remove channel"
        run={async () => {
          if (!removing) return;
          await removeChannel(removing.id);
          tell(`#${removing.name} removed.`);
        }}
      >
        New messages there no longer become requests. Existing requests stay. You can activate the channel again.
      </Question>
    </>
  );
}
