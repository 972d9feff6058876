import { t } from "@lingui/core/macro";
import { SegmentedControl, Select, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { sentence } from "../../api/client";
import { type SourceMessage, linkedMessageQuery, newestMessagesQuery } from "../../data/announcements";
import { channelsQuery } from "../../data/channels";
import { Html } from "../../parts/Html";
import { Loading, Refused } from "../../parts/states";
import { Ago } from "../../parts/time";
import classes from "./Announcements.module.css";

const route = getRouteApi("/frame/announcements/new");

type Props = { chosen: SourceMessage | null; choose: (message: SourceMessage | null) => void };
export type How = "write" | "link" | "channel";

/** What is announced: what is written here, the message of a link, or one of the newest of a channel. */
export function Source({ how, setHow, chosen, choose, children }: Props & { how: How; setHow: (how: How) => void; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label={t`Message source`}
        value={how}
        onChange={(v) => {
          setHow(v as How);
          choose(null);
        }}
        data={[
          { value: "write", label: t`Write here` },
          { value: "link", label: t`Paste a link` },
          { value: "channel", label: t`Pick from a channel` },
        ]}
      />
      {how === "write" ? children : how === "link" ? <ByLink choose={choose} /> : <FromChannel chosen={chosen} choose={choose} />}
    </Stack>
  );
}

function ByLink({ choose }: Pick<Props, "choose">) {
  const { link = "" } = route.useSearch();
  const navigate = useNavigate();
  const [typed, setTyped] = useState(link);
  const [wanted] = useDebouncedValue(typed.trim(), 300);
  const message = useQuery({ ...linkedMessageQuery(wanted), enabled: wanted !== "" });
  useEffect(() => choose(wanted ? (message.data ?? null) : null), [wanted, message.data, choose]);
  useEffect(() => {
    if (wanted !== link) void navigate({ to: "/announcements/new", search: wanted ? { link: wanted } : {}, replace: true });
  }, [wanted, link, navigate]);
  return (
    <TextInput
      label={t`Message link`}
      description={t`In your chat, open the message’s menu and choose Copy link. The Frontdesk bot must be in the channel.`}
      value={typed}
      onChange={(e) => setTyped(e.currentTarget.value)}
      error={wanted && message.isError ? sentence(message.error) : undefined}
      rightSection={message.isFetching ? <Text size="xs">…</Text> : undefined}
    />
  );
}

function FromChannel({ chosen, choose }: Props) {
  const { channel } = route.useSearch();
  const navigate = useNavigate();
  const channels = useQuery(channelsQuery);
  const messages = useQuery({ ...newestMessagesQuery(channel ?? ""), enabled: Boolean(channel) });
  return (
    <>
      <Select
        label={t`Channel`}
        description={t`Channels that the Frontdesk bot is in`}
        placeholder={t`Choose a channel`}
        searchable
        data={(channels.data ?? []).filter((c) => c.is_member && !c.is_archived).map((c) => ({ value: c.id, label: `#${c.name}` }))}
        value={channel ?? null}
        onDropdownOpen={() => void channels.refetch()} // our bot may have come into one just now
        onChange={(id) => {
          choose(null);
          void navigate({ to: "/announcements/new", search: id ? { channel: id } : {}, replace: true });
        }}
      />
      <Refused error={messages.error} />
      {channel && messages.isPending && <Loading rows={3} />}
      {messages.data?.length === 0 && <Text c="dimmed">{t`No messages in this channel. Write the message in your chat first.`}</Text>}
      {messages.data && messages.data.length > 0 && (
        <div className={classes.messages} role="group" aria-label={t`Latest messages`}>
          {messages.data.map((m) => (
            <UnstyledButton key={m.ts} className={classes.message} aria-pressed={m.ts === chosen?.ts} onClick={() => choose(m)}>
              <Text size="xs" c="dimmed" component="div">
                <bdi>{m.sender?.name ?? t`Unknown`}</bdi> · <Ago at={m.created_at} />
              </Text>
              <div className={classes.short}>
                <Html html={m.html} />
                {m.html === "" && m.files.map((f) => f.name).join(", ")}
              </div>
            </UnstyledButton>
          ))}
        </div>
      )}
    </>
  );
}
