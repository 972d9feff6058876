import { t } from "@lingui/core/macro";
import { Button, Group, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { addChannels, changeChannel, removeChannel } from "../../../data/channels";
import type { Collection } from "../../../data/collections";
import { Question } from "../../../parts/Question";
import { SavedField } from "../../../parts/SavedField";
import { PersonSelect } from "../../../parts/person";
import { tell, tellProblem } from "../../../tell";
import { locale } from "../../../texts";
import { Row, Rows } from "../Rows";
import { Word } from "../Word";
import { AddChannels } from "./AddChannels";

type Channel = NonNullable<Collection["channels"]>[number];

/** The channels of a chat collection, those that were in it as well. */
export function Channels({ collection }: { collection: Collection }) {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Channel | null>(null);
  const channels = [...(collection.channels ?? [])].sort((a, b) => a.status.localeCompare(b.status) || a.name.localeCompare(b.name, locale));
  const again = async ({ id, name }: Channel) => {
    try {
      await addChannels(collection.id, [{ id }]);
      tell(t`#${name} activated.`);
    } catch (e) {
      tellProblem(e, t`#${name} is still inactive.`);
    }
  };
  const gone = removing?.name ?? "";
  return (
    <>
      {channels.length === 0 ? (
        <Text c="dimmed">{t`No channels yet. Add the ones your customers write in.`}</Text>
      ) : (
        <Rows label={t`Channels`}>
          {channels.map((c) => (
            <Row key={c.id} action={<Changes channel={c} remove={() => setRemoving(c)} activate={() => void again(c)} />}>
              <Group gap="xs">
                <Text fw={550}>#{c.name}</Text>
                {c.status === "inactive" && <Word tone="plain">{t`Inactive`}</Word>}
              </Group>
            </Row>
          ))}
        </Rows>
      )}
      <div>
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          {t`Add channels`}
        </Button>
      </div>
      <AddChannels opened={adding} close={() => setAdding(false)} collection={collection} />
      <Question
        opened={removing !== null}
        close={() => setRemoving(null)}
        title={t`Remove #${gone}?`}
        yes={t`Remove channel`}
        run={async () => {
          if (!removing) return;
          await removeChannel(removing.id);
          tell(t`#${gone} removed.`);
        }}
      >
        {t`New messages there no longer become requests. Existing requests stay. You can activate the channel again.`}
      </Question>
    </>
  );
}

/** What can be changed of a channel: who looks after it, and whether it is in the collection. */
function Changes({ channel, remove, activate }: { channel: Channel; remove: () => void; activate: () => void }) {
  const { id, name, owner, status } = channel;
  return (
    <>
      <SavedField value={owner} save={(owner) => changeChannel(id, { owner })}>
        {({ value, set, error }) => <PersonSelect aria-label={t`Owner of #${name}`} placeholder={t`No owner`} value={value} onChange={set} error={error} w={180} size="xs" />}
      </SavedField>
      {status === "active" ? (
        <Button variant="default" aria-label={t`Remove #${name}`} onClick={remove}>
          {t`Remove`}
        </Button>
      ) : (
        <Button variant="default" aria-label={t`Activate #${name}`} onClick={activate}>
          {t`Activate`}
        </Button>
      )}
    </>
  );
}
