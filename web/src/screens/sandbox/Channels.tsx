import { t } from "@lingui/core/macro";
import { ActionIcon, Menu, TextInput, UnstyledButton } from "@mantine/core";
import { IconHash, IconLock, IconPlus, IconUser, IconUsers } from "@tabler/icons-react";
import { useContext, useState } from "react";
import type { SlackChannel } from "../../data/slack";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { Tip } from "../../parts/Tip";
import { locale } from "../../texts";
import { useChannelName } from "./Conversation";
import { NamesContext, userName } from "./Mrkdwn";
import classes from "./Workspace.module.css";
import { useActing, useDo } from "./acting";

/** The channels of the person one acts as, those that they could join, and their direct messages. */
export function Channels({ channels, chosen, choose }: { channels: SlackChannel[]; chosen: string | undefined; choose: (id: string) => void }) {
  const [making, setMaking] = useState(false);
  const rooms = channels.filter((c) => !c.is_im && !c.is_mpim).sort((a, b) => (a.name ?? "").localeCompare(b.name ?? "", locale));
  const direct = channels.filter((c) => c.is_im || c.is_mpim);
  const list = (some: SlackChannel[]) => (
    <ul className={classes.list}>
      {some.map((c) => (
        <li key={c.id}>
          <Row channel={c} chosen={c.id === chosen} choose={choose} />
        </li>
      ))}
    </ul>
  );
  return (
    <nav className={classes.channels} aria-label={t`Channels`}>
      <div className={classes.heading}>
        <h2 className={classes.title}>{t`Channels`}</h2>
        <Tip label={t`New channel`}>
          <ActionIcon size="sm" aria-label={t`New channel`} onClick={() => setMaking(true)}>
            <IconPlus size={15} />
          </ActionIcon>
        </Tip>
      </div>
      {list(rooms.filter((c) => c.is_member))}
      {rooms.some((c) => !c.is_member) && (
        <>
          <h2 className={classes.title}>{t`Other channels`}</h2>
          {list(rooms.filter((c) => !c.is_member))}
        </>
      )}
      <div className={classes.heading}>
        <h2 className={classes.title}>{t`Direct messages`}</h2>
        <NewDirect choose={choose} />
      </div>
      {list(direct)}
      <NewChannel opened={making} close={() => setMaking(false)} choose={choose} />
    </nav>
  );
}

function Row({ channel, chosen, choose }: { channel: SlackChannel; chosen: boolean; choose: (id: string) => void }) {
  const name = useChannelName()(channel);
  const Icon = channel.is_im ? IconUser : channel.is_mpim ? IconUsers : channel.is_private ? IconLock : IconHash;
  return (
    <UnstyledButton className={classes.channel} {...(chosen && { "data-chosen": true, "aria-current": "true" as const })} onClick={() => choose(channel.id)}>
      <Icon size={15} stroke={1.7} aria-hidden />
      <span>{name.replace(/^#/, "")}</span>
    </UnstyledButton>
  );
}

function NewDirect({ choose }: { choose: (id: string) => void }) {
  const slack = useActing();
  const does = useDo();
  const { users } = useContext(NamesContext);
  const open = (user: string) => does(async (s) => choose((await s.call<{ channel: { id: string } }>("conversations.open", { users: user })).channel.id), "channels");
  return (
    <Menu width={220} position="bottom-start">
      <Menu.Target>
        <ActionIcon size="sm" aria-label={t`New direct message`}>
          <IconPlus size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflow: "auto" }}>
        {[...users.values()]
          .filter((u) => !u.deleted && u.id !== slack.me)
          .map((u) => (
            <Menu.Item key={u.id} onClick={() => void open(u.id)}>
              {userName(u)}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function NewChannel({ opened, close, choose }: { opened: boolean; close: () => void; choose: (id: string) => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`New channel`}>
      <NewChannelForm close={close} choose={choose} />
    </Dialog>
  );
}

function NewChannelForm({ close, choose }: { close: () => void; choose: (id: string) => void }) {
  const [name, setName] = useState("");
  const does = useDo();
  const make = () => does(async (s) => choose((await s.call<{ channel: { id: string } }>("conversations.create", { name: name.trim() })).channel.id), "channels");
  return (
    <DialogForm send={make} done={(made) => made && close()} close={close} yes={t`Create channel`}>
      {() => (
        <TextInput
          dir="auto"
          label={t({ message: "Name", context: "channel" })}
          description={t`Lowercase letters, digits, hyphens and underscores`}
          data-autofocus
          required
          withAsterisk={false}
          maxLength={80}
          value={name}
          onChange={(e) => setName(e.currentTarget.value)}
        />
      )}
    </DialogForm>
  );
}
