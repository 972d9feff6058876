import { plural, t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Progress, Table, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconClock } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Announcement as Shown, type Engagement, announcementQuery, cancelAnnouncement, copyQuery, engagementQuery, useAnnouncementEvents, useResync, useRetry } from "../../data/announcements";
import { channelsQuery } from "../../data/channels";
import { useMayWrite } from "../../data/me";
import { AppLink } from "../../parts/AppLink";
import { Dialog } from "../../parts/Dialog";
import { emoji, emojiName } from "../../parts/emoji";
import { Html } from "../../parts/Html";
import { Question } from "../../parts/Question";
import { Failure, Loading } from "../../parts/states";
import { Tip } from "../../parts/Tip";
import { tell, tellProblem } from "../../tell";
import { dateAndTime, fullTime } from "../../parts/time";
import classes from "./Announcements.module.css";
import { Preview } from "./Preview";
import { Written } from "./Written";
import { StatusSign } from "./status";

const route = getRouteApi("/frame/announcements/$id");

/** One announcement: where it has arrived, and what people make of it. */
export function Announcement() {
  const id = Number(route.useParams().id);
  useAnnouncementEvents();
  const announcement = useQuery(announcementQuery(id));
  const a = announcement.data;
  const engagement = useQuery({ ...engagementQuery(id), enabled: a?.status === "sent" });
  if (announcement.isError) return <Failure whole error={announcement.error} retry={() => void announcement.refetch()} />;
  if (!a) return <Loading />;
  const all = a.recipients.length;
  const done = a.recipients.filter((r) => r.status !== null).length;
  const time = a.scheduled_time && dateAndTime(a.scheduled_time);
  const failed = a.recipients.filter((r) => r.status === "fail").length;
  return (
    <div className={classes.page}>
      <Text size="sm" mb={4}>
        <Link to="/announcements" className={classes.link}>
          {t`Announcements`}
        </Link>
      </Text>
      <div className={classes.top}>
        <Title order={1} dir="auto">
          {a.name}
        </Title>
        <StatusSign status={a.status} />
        <Actions announcement={a} />
      </div>
      {a.scheduled_time && (
        <Text>
          <Trans>
            Scheduled for <Plural value={all} one="# channel" other="# channels" />:{" "}
            <Tip label={fullTime(a.scheduled_time)}>
              <time dateTime={a.scheduled_time}>{time}</time>
            </Tip>
          </Trans>
        </Text>
      )}
      {a.status === "pending" && (
        <div role="status">
          <Text mb={4}>{t`${done} of ${plural(all, { one: "# channel", other: "# channels" })} done`}</Text>
          <Progress value={(done / all) * 100} aria-label={t`Delivery`} animated />
        </div>
      )}
      {failed > 0 && a.status === "sent" && <Failed id={id} failed={failed} />}
      {engagement.isError && <Failure error={engagement.error} retry={() => void engagement.refetch()} />}
      {engagement.data && (
        <div className={classes.numbers}>
          <Figure label={t`Channels reached`} value={engagement.data.channel_count} />
          <Figure label={t`Reactions`} value={engagement.data.reaction_count} />
          <Figure label={t`Replies`} value={engagement.data.reply_count} />
          <Button variant="default" ml="auto" loading={engagement.isFetching} onClick={() => void engagement.refetch()}>
            {t`Refresh`}
          </Button>
        </div>
      )}
      <Channels announcement={a} engagement={engagement.data} />
      <Copy announcement={a} />
    </div>
  );
}

/** What was sent, from the first channel that has it. */
function Copy({ announcement: a }: { announcement: Shown }) {
  const mayRead = useMayWrite(); // viewers may not look into channels
  const first = a.recipients.find((r) => r.status === "success" && r.message_ts !== null);
  const copy = useQuery({ ...copyQuery(first?.channel_id ?? "", first?.message_ts ?? ""), enabled: mayRead && first !== undefined }).data;
  if (!copy) return a.html_body === undefined ? null : <WrittenText html={a.html_body} />;
  return (
    <div className={classes.sent}>
      <Preview title={t`Sent message`} message={{ ...copy, problem: null }} sender={copy.sender ?? { name: t`Unknown` }} />
    </div>
  );
}

/** The text of one that was written here and is in no channel yet, as it was written. */
function WrittenText({ html }: { html: string }) {
  return (
    <section className={`${classes.preview} ${classes.sent}`} aria-label={t`Text`}>
      <h2 className={classes.previewTitle}>{t`Text`}</h2>
      <div className={classes.copy}>
        <div className={classes.said}>
          <Html html={html} />
        </div>
      </div>
    </section>
  );
}

function Figure({ label, value }: { label: string; value: number }) {
  return (
    <div>
      <div className={classes.number}>{value}</div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
    </div>
  );
}

function Failed({ id, failed }: { id: number; failed: number }) {
  const retry = useRetry(id);
  const mayWrite = useMayWrite();
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={t`Not delivered to ${plural(failed, { one: "# channel", other: "# channels" })}`}>
      <Group justify="space-between">
        <Text size="sm">{t`See the table for the reasons. Other channels are not affected.`}</Text>
        {mayWrite && (
          <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate(undefined, { onError: (e) => tellProblem(e) })}>
            {t`Try again`}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function Actions({ announcement: a }: { announcement: Shown }) {
  const mayWrite = useMayWrite();
  const client = useQueryClient();
  const navigate = useNavigate();
  const resync = useResync(a.id);
  const [asking, setAsking] = useState(false);
  const { name } = a;
  if (!mayWrite) return null;
  if (a.status === "scheduled")
    return (
      <>
        <Button ml="auto" variant="default" onClick={() => setAsking(true)}>
          {t`Cancel announcement`}
        </Button>
        <Question
          opened={asking}
          close={() => setAsking(false)}
          title={t`Cancel this announcement?`}
          yes={t`Cancel announcement`}
          run={async () => {
            await cancelAnnouncement(client, a.id);
            void navigate({ to: "/announcements" });
          }}
        >
          {t`“${name}” will not be sent. The original message stays in your chat.`}
        </Question>
      </>
    );
  if (a.status !== "sent") return null;
  if (a.html_body !== undefined) return <EditText id={a.id} html={a.html_body} />;
  return (
    <Tip label={t`Update the copies if the original message has changed`} multiline w={240}>
      <Button ml="auto" variant="default" loading={resync.isPending} onClick={() => resync.mutate(null, { onSuccess: () => tell(t`The copies are being updated.`), onError: (e) => tellProblem(e) })}>
        {t`Update copies`}
      </Button>
    </Tip>
  );
}

/** Changes the text of one that was written here, in every channel that has it. */
function EditText({ id, html }: { id: number; html: string }) {
  const resync = useResync(id);
  const [text, setText] = useState<string | null>(null);
  const save = () => {
    if (!text) return;
    resync.mutate(text, {
      onSuccess: () => {
        tell(t`The copies are being updated.`);
        setText(null);
      },
      onError: (e) => tellProblem(e),
    });
  };
  return (
    <>
      <Button ml="auto" variant="default" onClick={() => setText(html)}>
        {t`Edit text`}
      </Button>
      <Dialog opened={text !== null} onClose={() => setText(null)} title={t`Edit text`} size="lg">
        {text !== null && <Written html={html} change={setText} send={save} autoFocus />}
        <Group mt="md">
          <Button loading={resync.isPending} disabled={!text || text === html} onClick={save}>
            {t`Update copies`}
          </Button>
          <Button variant="default" onClick={() => setText(null)}>
            {t`Cancel`}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}

function Channels({ announcement: a, engagement }: { announcement: Shown; engagement: Engagement | undefined }) {
  const names = new Map(useQuery(channelsQuery).data?.map((c) => [c.id, c.name]));
  const came = new Map(engagement?.channel_engagement.map((e) => [e.channel_id, e]));
  return (
    <div className={classes.scroll}>
      <Table className={classes.table} mt="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t`Channel`}</Table.Th>
            <Table.Th>{t`Delivery`}</Table.Th>
            <Table.Th>{t`Reactions`}</Table.Th>
            <Table.Th>{t`Replies`}</Table.Th>
            <Table.Th>{t`Request`}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {a.recipients.map((r) => {
            const e = came.get(r.channel_id);
            return (
              <Table.Tr key={r.channel_id}>
                <Table.Td>#{names.get(r.channel_id) ?? r.channel_id}</Table.Td>
                <Table.Td>
                  <Delivery status={r.status} error={r.error ?? null} scheduled={a.status === "scheduled"} />
                </Table.Td>
                <Table.Td>{e ? <Reactions reactions={e.top_reactions} all={e.total_reactions} /> : "–"}</Table.Td>
                <Table.Td>{e ? e.reply_count : "–"}</Table.Td>
                <Table.Td>
                  {e?.request_id ? (
                    <AppLink href={`/requests/${e.request_id}`} className={classes.link}>
                      {t({ message: "Open request", context: "command" })}
                    </AppLink>
                  ) : (
                    "–"
                  )}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Delivery({ status, error, scheduled }: { status: "success" | "fail" | null; error: string | null; scheduled: boolean }) {
  const [Icon, colour, words] =
    status === "success"
      ? ([IconCircleCheck, "var(--good)", t`Delivered`] as const)
      : status === "fail"
        ? ([IconAlertTriangle, "var(--bad)", error ?? t`Failed`] as const)
        : ([IconClock, "var(--faint)", scheduled ? t({ message: "Scheduled", context: "announcement" }) : t`Waiting`] as const);
  return (
    <Group gap={6} wrap="nowrap">
      <Icon size={15} stroke={2} color={colour} aria-hidden style={{ flexShrink: 0 }} />
      <Text size="sm">{words}</Text>
    </Group>
  );
}

function Reactions({ reactions, all }: { reactions: Engagement["channel_engagement"][number]["top_reactions"]; all: number }) {
  if (reactions.length === 0) return all;
  const more = all - reactions.reduce((n, r) => n + r.user_ids.length, 0);
  return (
    <>
      {reactions.map((r) => (
        <span key={r.emoji} className={classes.reaction}>
          <span role="img" aria-label={emojiName(r.emoji)}>
            {emoji(r.emoji)}
          </span>{" "}
          {r.user_ids.length}
        </span>
      ))}
      {more > 0 && t`and ${more} more`}
    </>
  );
}
