import { t } from "@lingui/core/macro";
import { ActionIcon, Popover, SimpleGrid, UnstyledButton } from "@mantine/core";
import { IconMoodPlus } from "@tabler/icons-react";
import { useContext, useState } from "react";
import type { SlackMessage } from "../../data/slack";
import { commonEmoji, emoji, emojiName } from "../../parts/emoji";
import { Tip } from "../../parts/Tip";
import { locale } from "../../texts";
import { NamesContext, userName } from "./Mrkdwn";
import { useActing, useDo } from "./acting";
import classes from "./Message.module.css";

const and = new Intl.ListFormat(locale);

/** Sets a reaction, or takes one's own back. */
function useReact(channel: string, message: SlackMessage) {
  const slack = useActing();
  const does = useDo();
  return (name: string) => {
    const mine = message.reactions?.some((r) => r.name === name && r.users.includes(slack.me));
    void does((s) => s.call(mine ? "reactions.remove" : "reactions.add", { channel, timestamp: message.ts, name }));
  };
}

/** The reactions to a message, as characters. */
export function Reactions({ channel, message }: { channel: string; message: SlackMessage }) {
  const slack = useActing();
  const { users } = useContext(NamesContext);
  const react = useReact(channel, message);
  if (!message.reactions?.length) return null;
  return (
    <div className={classes.reactions}>
      {message.reactions.map((r) => {
        const who = and.format(r.users.map((id) => userName(users.get(id)) ?? t`someone`));
        const name = emojiName(r.name);
        return (
          <Tip key={r.name} label={t`${who} reacted with ${name}`}>
            <UnstyledButton className={classes.reaction} aria-pressed={r.users.includes(slack.me)} aria-label={`${name}, ${r.count}`} onClick={() => react(r.name)}>
              <span aria-hidden>{emoji(r.name)}</span> {r.count}
            </UnstyledButton>
          </Tip>
        );
      })}
    </div>
  );
}

/** Chooses from those that people react with most. */
export function ReactButton({ channel, message, author }: { channel: string; message: SlackMessage; author: string }) {
  const [open, setOpen] = useState(false);
  const react = useReact(channel, message);
  return (
    <Popover opened={open} onChange={setOpen} position="top-end" trapFocus shadow="md">
      <Popover.Target>
        <ActionIcon size="sm" aria-label={t`React to ${author}`} aria-expanded={open} onClick={() => setOpen(!open)}>
          <IconMoodPlus size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={6} aria-label={t`Reactions`}>
        <SimpleGrid cols={8} spacing={2} verticalSpacing={2}>
          {commonEmoji.map((name) => (
            <UnstyledButton
              key={name}
              className={classes.emoji}
              aria-label={emojiName(name)}
              onClick={() => {
                setOpen(false);
                react(name);
              }}
            >
              {emoji(name)}
            </UnstyledButton>
          ))}
        </SimpleGrid>
      </Popover.Dropdown>
    </Popover>
  );
}
