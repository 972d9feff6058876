import { plural, t } from "@lingui/core/macro";
import { ActionIcon, Avatar, Button, Group, Textarea } from "@mantine/core";
import { IconMessageReply, IconPencil, IconTrash } from "@tabler/icons-react";
import { memo, useContext, useState } from "react";
import type { SlackMessage } from "../../data/slack";
import { Question } from "../../parts/Question";
import { fullTime } from "../../parts/time";
import { Tip } from "../../parts/Tip";
import { locale } from "../../texts";
import { Blocks } from "./Blocks";
import { Files } from "./Files";
import classes from "./Message.module.css";
import { Mrkdwn, NamesContext, toMrkdwn, toTyped, userName } from "./Mrkdwn";
import { ReactButton, Reactions } from "./Reactions";
import { picture, useActing, useDo } from "./acting";

const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });

/** When a message was said. */
export function timeOf(message: SlackMessage): number {
  return Number(message.ts) * 1000;
}

/** One message, with what can be done about it. openThread is left out inside a thread. */
export const Message = memo(function Message({ channel, message, openThread, member }: { channel: string; message: SlackMessage; openThread?: (ts: string) => void; member: boolean }) {
  const { users } = useContext(NamesContext);
  const [editing, setEditing] = useState(false);
  const author = message.user ? users.get(message.user) : undefined;
  const name = message.username || userName(author) || message.bot_profile?.name || t({ message: "Unknown", context: "person" });
  const replies = message.reply_count ?? 0;
  const face = picture(message.icons?.image_72 ?? author?.profile.image_72);
  // The chat itself says that somebody has come or gone, or pinned something.
  if (message.subtype?.startsWith("channel_") || message.subtype === "pinned_item" || message.subtype === "tombstone")
    return (
      <div className={classes.event}>
        <Mrkdwn text={message.text} />
      </div>
    );
  return (
    <article className={classes.message} aria-label={`${name}, ${fullTime(timeOf(message))}`} {...(message.ephemeral && { "data-ephemeral": true })}>
      <Avatar src={face} name={name} color="initials" size={32} radius="sm" alt="" aria-hidden styles={{ placeholder: { color: "var(--text)" } }} />
      <div className={classes.body}>
        {message.ephemeral && <div className={classes.only}>{t`Only visible to you`}</div>}
        <div className={classes.said}>
          <span className={classes.name} dir="auto">
            {name}
          </span>
          {(author?.is_bot || message.bot_id) && <span className={classes.app}>{t({ message: "App", context: "chat" })}</span>}
          <Tip label={fullTime(timeOf(message))}>
            <time className={classes.faint} dateTime={new Date(timeOf(message)).toISOString()}>
              {clock.format(timeOf(message))}
            </time>
          </Tip>
        </div>
        {editing ? <Change channel={channel} message={message} close={() => setEditing(false)} /> : <Content channel={channel} message={message} />}
        {message.files && message.files.length > 0 && <Files files={message.files} />}
        <Reactions channel={channel} message={message} />
        {openThread && replies > 0 && (
          <Button variant="subtle" size="compact-xs" ml={-6} onClick={() => openThread(message.ts)}>
            {plural(replies, { one: "# reply", other: "# replies" })}
          </Button>
        )}
      </div>
      {member && !message.ephemeral && !editing && <Actions channel={channel} message={message} author={name} edit={() => setEditing(true)} {...(openThread && { openThread })} />}
    </article>
  );
});

/** What is said: a card's blocks where it has some, else the text. */
function Content({ channel, message }: { channel: string; message: SlackMessage }) {
  // What Slack makes of a text by itself, plain or in Markdown, says nothing more than the text.
  const all = message.blocks ?? [];
  const written = all.some((b) => b.type === "rich_text" || b.type === "table") && all.every((b) => ["rich_text", "table", "header", "divider"].includes(b.type));
  const blocks = written ? [] : all.filter((b) => b.type !== "rich_text");
  const where = { channel, ts: message.ts };
  return (
    <>
      {blocks.length > 0 ? <Blocks blocks={blocks} where={where} /> : message.text && <Mrkdwn text={message.text} />}
      {message.edited && <span className={classes.faint}> {t({ message: "(edited)", context: "message" })}</span>}
      {message.attachments?.map((a, i) => (
        <div key={i} className={classes.card} style={{ borderInlineStartColor: /^#[0-9a-f]{3,8}$/i.test(a.color ?? "") ? a.color : undefined }}>
          {a.blocks ? <Blocks blocks={a.blocks} where={where} /> : <Mrkdwn text={a.text ?? a.fallback ?? ""} />}
        </div>
      ))}
    </>
  );
}

function Actions({ channel, message, author, edit, openThread }: { channel: string; message: SlackMessage; author: string; edit: () => void; openThread?: (ts: string) => void }) {
  const slack = useActing();
  const [asking, setAsking] = useState(false);
  const mine = message.user === slack.me && !message.bot_id;
  return (
    <div className={classes.actions}>
      <ReactButton channel={channel} message={message} author={author} />
      {openThread && (
        <ActionIcon size="sm" aria-label={t`Reply to ${author} in a thread`} onClick={() => openThread(message.ts)}>
          <IconMessageReply size={16} />
        </ActionIcon>
      )}
      {mine && (
        <>
          <ActionIcon size="sm" aria-label={t`Edit message`} onClick={edit}>
            <IconPencil size={16} />
          </ActionIcon>
          <ActionIcon size="sm" aria-label={t`Delete message`} onClick={() => setAsking(true)}>
            <IconTrash size={16} />
          </ActionIcon>
          <Question
            opened={asking}
            close={() => setAsking(false)}
            title={t`Delete this message?`}
            yes={t({ message: "Delete", context: "command" })}
            run={() => slack.call("chat.delete", { channel, ts: message.ts })}
          >
            {t`It will be deleted for everyone in the channel.`}
          </Question>
        </>
      )}
    </div>
  );
}

function Change({ channel, message, close }: { channel: string; message: SlackMessage; close: () => void }) {
  const names = useContext(NamesContext);
  const does = useDo();
  const [text, setText] = useState(() => toTyped(message.text, names));
  const save = async () => {
    if (text.trim() && (await does((slack) => slack.call("chat.update", { channel, ts: message.ts, text: toMrkdwn(text, names.users) })))) close();
  };
  return (
    <div>
      <Textarea
        dir="auto"
        aria-label={t`Edit message`}
        autosize
        autoFocus
        value={text}
        onChange={(e) => setText(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Escape") close();
          if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) {
            e.preventDefault();
            void save();
          }
        }}
      />
      <Group gap={6} mt={4}>
        <Button size="compact-sm" disabled={!text.trim()} onClick={() => void save()}>
          {t({ message: "Save", context: "command" })}
        </Button>
        <Button size="compact-sm" variant="default" onClick={close}>
          {t`Cancel`}
        </Button>
      </Group>
    </div>
  );
}
