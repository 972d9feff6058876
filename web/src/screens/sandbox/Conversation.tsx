// The messages of a channel, and the thread beside them.
import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useContext, useLayoutEffect, useRef, useState } from "react";
import type { SlackChannel, SlackMessage } from "../../data/slack";
import { historyQuery, threadQuery } from "../../data/workspace";
import { Failure, Loading } from "../../parts/states";
import { locale } from "../../texts";
import { Composer } from "./Composer";
import { Message, timeOf } from "./Message";
import { NamesContext, userName } from "./Mrkdwn";
import classes from "./Workspace.module.css";
import { useActing, useDo } from "./acting";

const step = 50;
const most = 950; // Slack gives no more at once

/** What a channel is called: a direct message by the other person. */
export function useChannelName(): (c: SlackChannel) => string {
  const { users } = useContext(NamesContext);
  return (c) => (c.is_im ? (userName(users.get(c.user ?? "")) ?? t({ message: "Unknown", context: "person" })) : c.is_mpim ? t`Group message` : `#${c.name}`);
}

export function Conversation({ channel, openThread, header }: { channel: SlackChannel; openThread: (ts: string) => void; header: ReactNode }) {
  const slack = useActing();
  const does = useDo();
  const name = useChannelName()(channel);
  const [limit, setLimit] = useState(step);
  const history = useQuery({ ...historyQuery(slack, channel.id, limit), placeholderData: keepPreviousData });
  const member = channel.is_member || channel.is_im || channel.is_mpim;
  return (
    <section className={classes.conversation} aria-label={name}>
      {header}
      {history.isError ? (
        <Failure error={history.error} retry={() => void history.refetch()} />
      ) : history.isPending ? (
        <Loading />
      ) : (
        <Messages key={`${slack.me} ${channel.id}`} label={t`Messages in ${name}`} messages={history.data.messages} channel={channel.id} member={member} openThread={openThread}>
          {history.data.more && limit < most ? (
            <Button variant="subtle" size="compact-sm" loading={history.isPlaceholderData} onClick={() => setLimit(Math.min(limit + step, most))}>
              {t`Show earlier messages`}
            </Button>
          ) : (
            <Text size="sm" c="dimmed">
              {t`This is the beginning of ${name}.`}
            </Text>
          )}
        </Messages>
      )}
      {member ? (
        <Composer key={`${slack.me} ${channel.id}`} channel={channel.id} placeholder={t`Message ${name}`} />
      ) : (
        <div className={classes.join}>
          <Text size="sm">{t`You are viewing this channel.`}</Text>
          <Button variant="default" onClick={() => void does((s) => s.call("conversations.join", { channel: channel.id }))}>
            {t`Join ${name}`}
          </Button>
        </div>
      )}
    </section>
  );
}

export function Thread({ channel, ts, close }: { channel: SlackChannel; ts: string; close: () => void }) {
  const slack = useActing();
  const name = useChannelName()(channel);
  const thread = useQuery(threadQuery(slack, channel.id, ts));
  const member = channel.is_member || channel.is_im || channel.is_mpim;
  return (
    <section className={classes.thread} aria-label={t`Thread`}>
      <div className={classes.bar}>
        <h2 className={classes.title}>{t`Thread`}</h2>
        <Text size="sm" c="dimmed" truncate>
          {name}
        </Text>
        <ActionIcon ml="auto" aria-label={t`Close thread`} onClick={close}>
          <IconX size={17} />
        </ActionIcon>
      </div>
      {thread.isError ? (
        <Failure error={thread.error} />
      ) : thread.isPending ? (
        <Loading rows={3} />
      ) : (
        <Messages key={`${slack.me} ${channel.id} ${ts}`} label={t`Thread messages`} messages={thread.data} channel={channel.id} member={member} />
      )}
      {member && thread.isSuccess && <Composer key={`${slack.me} ${channel.id} ${ts}`} channel={channel.id} thread={ts} placeholder={t`Reply in thread`} autoFocus />}
    </section>
  );
}

const dayName = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });

function Messages({
  label,
  messages,
  channel,
  member,
  openThread,
  children,
}: {
  label: string;
  messages: SlackMessage[];
  channel: string;
  member: boolean;
  openThread?: (ts: string) => void;
  children?: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const last = messages.at(-1)?.ts;
  // Who reads at the end stays there; who reads further up is not moved.
  useLayoutEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [last, messages]);
  return (
    <div
      ref={box}
      className={classes.messages}
      role="log"
      aria-label={label}
      tabIndex={0}
      onScroll={(e) => {
        const b = e.currentTarget;
        atEnd.current = b.scrollHeight - b.scrollTop - b.clientHeight < 60;
      }}
    >
      <div className={classes.begin}>{children}</div>
      {messages.map((m, i) => {
        const day = dayName.format(timeOf(m));
        const before = messages[i - 1];
        return (
          <Fragment key={m.ts}>
            {(!before || dayName.format(timeOf(before)) !== day) && <div className={classes.day}>{day}</div>}
            <Message channel={channel} message={m} member={member} {...(openThread && { openThread })} />
          </Fragment>
        );
      })}
    </div>
  );
}
