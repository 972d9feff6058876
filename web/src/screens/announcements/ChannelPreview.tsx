import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Group, Select, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { sentence } from "../../api/client";
import { type AnnouncementSender, type SourceMessage, previewQuery, useTest } from "../../data/announcements";
import { channelsQuery } from "../../data/channels";
import { tell, tellProblem } from "../../tell";
import classes from "./Announcements.module.css";
import { Preview } from "./Preview";

type Props = {
  /** The channels that it would be sent to. */
  to: string[];
  /** What is written here; null where a message of the chat is announced. */
  html: string | null;
  message: SourceMessage | null;
  sender: AnnouncementSender;
  /** The sender in words, while no channel is chosen. */
  as: string;
};

/** What it will look like in each channel, and a test of that to oneself. */
export function ChannelPreview({ to, html, message, sender, as }: Props) {
  const [at, setAt] = useState<string | null>(null);
  const known = useQuery(channelsQuery).data;
  const [typed] = useDebouncedValue(html, 300);
  const channel = at !== null && to.includes(at) ? at : (to[0] ?? null);
  const draft = { channel_id: channel ?? "", sender_config: sender, ...(typed && { html_body: typed }) };
  const named = sender.type !== "user" || Boolean(sender.senderId);
  const preview = useQuery({ ...previewQuery(draft), enabled: channel !== null && named && (html === null || Boolean(typed)) });
  const test = useTest();
  const shown = preview.data;
  const nothing = html === null ? message === null : html === "";
  if (!nothing && channel === null && message) return <Preview message={message} sender={{ name: as }} />;
  if (nothing || channel === null || !named)
    return (
      <section className={classes.preview} aria-label={t`Preview`}>
        <h2 className={classes.previewTitle}>{t`Preview`}</h2>
        <Text p="md" c="dimmed">
          {html === null
            ? t`No message yet. Write it, with its formatting and files, in a chat channel that the Frontdesk bot is in. The announcement is a copy of it.`
            : nothing
              ? t`Write something to see what it will look like.`
              : named
                ? t`Choose recipients to see what it will look like in each channel.`
                : t`Choose the person who sends it.`}
        </Text>
      </section>
    );
  const index = to.indexOf(channel);
  const step = (by: number) => setAt(to[(index + by + to.length) % to.length]!);
  const name = (id: string) => `#${known?.find((c) => c.id === id)?.name ?? id}`;
  const head = (
    <Group gap={4} wrap="nowrap" className={classes.which}>
      <Select
        aria-label={t`Preview in channel`}
        size="xs"
        flex={1}
        searchable
        allowDeselect={false}
        value={channel}
        onChange={(id) => id && setAt(id)}
        data={to.map((id) => ({ value: id, label: name(id) }))}
      />
      <ActionIcon variant="default" aria-label={t`Previous channel`} disabled={to.length < 2} onClick={() => step(-1)}>
        <IconChevronLeft size={15} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t`Next channel`} disabled={to.length < 2} onClick={() => step(1)}>
        <IconChevronRight size={15} aria-hidden />
      </ActionIcon>
    </Group>
  );
  const sendTest = () =>
    test.mutate(
      { ...draft, ...(html && { html_body: html }) },
      { onSuccess: () => tell(t`The test is on its way to your direct messages in chat. Nobody else gets it.`), onError: (e) => tellProblem(e) },
    );
  const problem = preview.isError ? sentence(preview.error) : (message?.problem ?? shown?.problem ?? null);
  return (
    <Preview
      head={head}
      message={{ html: html === null ? (message?.html ?? "") : (shown?.html ?? ""), files: message?.files ?? [], problem }}
      sender={shown?.sender ?? { name: preview.isPending ? "…" : t`Nobody` }}
      foot={
        html !== null && (
          <div className={classes.test}>
            <Button variant="default" size="xs" loading={test.isPending} disabled={problem !== null} onClick={sendTest}>
              {t`Send me a test`}
            </Button>
          </div>
        )
      }
    />
  );
}
