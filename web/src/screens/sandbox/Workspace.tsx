import { t } from "@lingui/core/macro";
import { CloseButton, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { collectionsQuery } from "../../data/collections";
import { prefer, usePreferences } from "../../data/preferences";
import { type Sandbox, companyOf, customersOf } from "../../data/sandbox";
import type { Slack, SlackChannel } from "../../data/slack";
import { channelsQuery, useSlack, useWorkspaceStream, workspaceUsersQuery } from "../../data/workspace";
import { useIsPhone } from "../../parts/Panes";
import { Empty, Failure, Loading } from "../../parts/states";
import { Channels } from "./Channels";
import { Conversation, Thread, useChannelName } from "./Conversation";
import { Form } from "./Form";
import { NamesContext } from "./Mrkdwn";
import { Newest } from "./Newest";
import classes from "./Workspace.module.css";
import { SlackContext } from "./acting";
import type { Place } from "./place";

const route = getRouteApi("/frame/sandbox");

/** The workspace as somebody in it, beside the requests that come of it. */
export function Workspace({ sandbox }: { sandbox: Sandbox }) {
  const { as } = route.useSearch();
  const navigate = useNavigate();
  const phone = useIsPhone();
  // A newcomer wants to see what happens when a customer writes.
  const who = sandbox.users.find((u) => u.id === as) ?? customersOf(sandbox)[0] ?? sandbox.users[0];
  const { slack, error } = useSlack(who?.id ?? "");
  if (!who) return <Empty title={t`No one is in this workspace`} />;
  const switcher = (
    <Select
      className={classes.person}
      aria-label={t`Acting as`}
      size="xs"
      allowDeselect={false}
      {...(!phone && { leftSection: <span className={classes.as}>{t`Acting as`}</span>, leftSectionWidth: 66 })}
      comboboxProps={{ width: 300, position: "bottom-end" }}
      data={sandbox.users.map((u) => ({ value: u.id, label: `${u.name} (${companyOf(u, sandbox)})` }))}
      value={who.id}
      // The channel stays: the other may be in it, too.
      onChange={(id) => void navigate({ to: "/sandbox", search: (s: Place) => ({ ...s, ...(id && { as: id }) }) })}
    />
  );
  return (
    <div className={classes.page}>
      <h1 className="visually-hidden">{t`Sandbox`}</h1>
      {error ? <Failure error={error} /> : slack ? <Rooms key={slack.me} slack={slack} switcher={switcher} /> : <Loading />}
      <Newest />
    </div>
  );
}

function Rooms({ slack, switcher }: { slack: Slack; switcher: ReactNode }) {
  useWorkspaceStream(slack);
  const channels = useQuery(channelsQuery(slack));
  const users = useQuery(workspaceUsersQuery(slack));
  const names = useMemo(() => ({ users: users.data ?? new Map(), channels: channels.data ?? [] }), [users.data, channels.data]);
  const failed = channels.error ?? users.error;
  if (failed) return <Failure error={failed} retry={() => void Promise.all([channels.refetch(), users.refetch()])} />;
  if (!channels.data || !users.data) return <Loading />;
  return (
    <SlackContext value={slack}>
      <NamesContext value={names}>
        <Open channels={channels.data} switcher={switcher} />
        <Form />
      </NamesContext>
    </SlackContext>
  );
}

function Open({ channels, switcher }: { channels: SlackChannel[]; switcher: ReactNode }) {
  const place = route.useSearch();
  const navigate = useNavigate();
  const collections = useQuery(collectionsQuery).data;
  const name = useChannelName();
  const phone = useIsPhone();
  const go = (to: Place) => void navigate({ to: "/sandbox", search: (s: Place): Place => ({ ...(s.as && { as: s.as }), ...to }) });
  const channel = channels.find((c) => c.id === place.channel) ?? usual(channels, new Set(collections?.flatMap((p) => (p.kind === "chat" ? (p.channels ?? []).map((c) => c.id) : []))));
  if (!channel) return <Empty title={t`No channels yet`}>{t`Create the first one with the plus button.`}</Empty>;
  const choose = (id: string) => go({ channel: id });
  const thread = place.thread;
  const header = (
    <>
      <div className={classes.bar}>
        {phone ? (
          <Select
            aria-label={t`Channel`}
            size="xs"
            allowDeselect={false}
            data={channels.filter((c) => c.is_member || c.is_im).map((c) => ({ value: c.id, label: name(c) }))}
            value={channel.id}
            onChange={(id) => id && choose(id)}
          />
        ) : (
          <h2 className={classes.title}>{name(channel)}</h2>
        )}
        {switcher}
      </div>
      <Hint />
    </>
  );
  return (
    <>
      {!phone && <Channels channels={channels} chosen={channel.id} choose={choose} />}
      <div className={classes.both}>
        {!(phone && thread) && <Conversation key={channel.id} channel={channel} openThread={(ts) => go({ channel: channel.id, thread: ts })} header={header} />}
        {thread && <Thread key={thread} channel={channel} ts={thread} close={() => go({ channel: channel.id })} />}
      </div>
    </>
  );
}

/** Where one begins: a customer's channel, since what is said there becomes requests. */
function usual(channels: SlackChannel[], customers: Set<string>): SlackChannel | undefined {
  const mine = channels.filter((c) => c.is_member);
  return mine.find((c) => customers.has(c.id)) ?? mine.find((c) => !c.is_general && !c.is_im) ?? mine[0] ?? channels[0];
}

const hint = "sandbox-hint";

/** What to do here, until it was read. */
function Hint() {
  const { folded } = usePreferences();
  if (folded[hint]) return null;
  return (
    <div className={classes.hint} role="note">
      <Text size="sm">{t`Post a message here and watch the inbox. Choose above who you act as: a customer or a team member.`}</Text>
      <CloseButton size="sm" aria-label={t`Do not show this again`} onClick={() => prefer({ folded: { ...folded, [hint]: true } })} />
    </div>
  );
}
