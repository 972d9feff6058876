import { t } from "@lingui/core/macro";
import { Alert, Button, Group, MultiSelect, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { channelsQuery } from "../../data/channels";
import type { Dashboard } from "../../data/explorations";
import { useMayWrite, useMe } from "../../data/me";
import { membersQuery } from "../../data/members";
import { type GivenReport, type Report, changeReport, makeReport, removeReport, reportsQuery, sendDashboard } from "../../data/reports";
import { type Weekday, weekdays } from "../../data/schedules";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { Question } from "../../parts/Question";
import { Failure, Loading } from "../../parts/states";
import { dayNames } from "../../parts/week";
import { tell, tellProblem } from "../../tell";
import { locale } from "../../texts";

type Props = { board: Dashboard; opened: boolean; close: () => void };

/** When and to whom a dashboard is sent. */
export function Schedules({ board, opened, close }: Props) {
  return (
    <Dialog opened={opened} onClose={close} title={t`Send on a schedule`} size="lg">
      {opened && <Content board={board} />}
    </Dialog>
  );
}

/** Sends a dashboard to who asks. */
export async function sendToMe(board: Dashboard): Promise<void> {
  try {
    await sendDashboard(board.id);
    tell(t`The dashboard is on its way to you.`);
  } catch (e) {
    tellProblem(e, t`The dashboard was not sent.`);
  }
}

function Content({ board }: { board: Dashboard }) {
  const client = useQueryClient();
  const mayWrite = useMayWrite();
  const reports = useQuery(reportsQuery);
  const members = useQuery(membersQuery);
  const channels = useQuery(channelsQuery);
  const zone = useMe()?.account.time_zone;
  const [editing, setEditing] = useState<Report | "new" | null>(null);
  const [removing, setRemoving] = useState<Report | null>(null);
  const [sending, setSending] = useState(false);
  const failed = [reports, members, channels].find((q) => q.isError);
  if (failed) return <Failure error={failed.error} retry={() => void failed.refetch()} />;
  if (!reports.data || !members.data || !channels.data || !zone) return <Loading />;
  const own = reports.data.filter((r) => r.dashboard_id === board.id);
  const nameOf = (id: number) => members.data.find((m) => m.id === id)?.name ?? t`a former member`;
  const channelOf = (id: string) => `#${channels.data.find((c) => c.id === id)?.name ?? id}`;
  if (editing) return <Form board={board} was={editing === "new" ? null : editing} zone={zone} close={() => setEditing(null)} />;
  const send = async () => {
    setSending(true);
    await sendToMe(board);
    setSending(false);
  };
  return (
    <Stack>
      <Text c="dimmed">{t`Everyone who gets it sees the numbers of the requests its owner can see.`}</Text>
      {own.length === 0 && <Text>{t`This dashboard is not sent on a schedule yet.`}</Text>}
      {own.map((r) => (
        <OneReport key={r.id} report={r} to={recipients(r, nameOf, channelOf)} owner={nameOf(r.member_id)} zone={zone} edit={mayWrite ? () => setEditing(r) : null} remove={() => setRemoving(r)} />
      ))}
      <Group justify="flex-end">
        <Button variant="default" loading={sending} onClick={() => void send()}>
          {t`Send to me now`}
        </Button>
        {mayWrite && (
          <Button data-autofocus onClick={() => setEditing("new")}>
            {t`Add a schedule`}
          </Button>
        )}
      </Group>
      <Question
        opened={removing !== null}
        close={() => setRemoving(null)}
        title={t`Remove this schedule?`}
        yes={t`Remove`}
        run={async () => {
          if (removing) await removeReport(client, removing.id);
        }}
      >
        {t`The dashboard stays, but is no longer sent.`}
      </Question>
    </Stack>
  );
}

function OneReport({ report: r, to, owner, zone, edit, remove }: { report: Report; to: string; owner: string; zone: string; edit: (() => void) | null; remove: () => void }) {
  const how = rhythm(r);
  const next = inZone(r.next_at, zone);
  const last = r.sent_at && inZone(r.sent_at, zone);
  return (
    <Stack gap={4} role="group" aria-label={t({ message: `${how} to ${to}`, comment: "Every week on Monday at 09:00 to Ada, Grace" })}>
      <Text fw={500}>{how}</Text>
      <Text size="sm" dir="auto">
        {r.mine ? t({ message: `To ${to}`, comment: "To whom a dashboard is sent" }) : t`To ${to}, set up by ${owner}`}
      </Text>
      <Text size="sm" c="dimmed">
        {r.stopped === null ? t`Next: ${next}.` : t`Not scheduled.`} {last === null ? t`Not sent yet.` : t`Last sent: ${last}.`}
      </Text>
      {(r.stopped ?? r.failure) !== null && (
        <Alert color="red" variant="light" title={r.stopped === null ? t`The last one did not reach everyone` : t`No longer sent`}>
          <span dir="auto">{r.stopped ?? r.failure}</span>
          {r.stopped !== null && edit && ` ${t`Edit and save it to send it again.`}`}
        </Alert>
      )}
      <Group gap="xs">
        {edit && (
          <Button size="compact-sm" variant="default" onClick={edit}>
            {t`Edit`}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={remove}>
          {t`Remove`}
        </Button>
      </Group>
    </Stack>
  );
}

const days = Array.from({ length: 31 }, (_, i) => ({ value: String(i + 1), label: String(i + 1) }));
const hours = Array.from({ length: 24 }, (_, i) => ({ value: String(i), label: hourName(i) }));

// With what explains a field below it, fields stand in line.
const labelFirst: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

function Form({ board, was, zone, close }: { board: Dashboard; was: Report | null; zone: string; close: () => void }) {
  const client = useQueryClient();
  const me = useMe();
  const members = useQuery(membersQuery).data ?? [];
  const channels = useQuery(channelsQuery).data ?? [];
  const mails = me?.sends_mail ?? true;
  const first: GivenReport = was ?? { every: "week", weekday: "monday", day: 1, hour: 9, member_ids: me && mails ? [me.member.id] : [], channel_id: null };
  const [given, setGiven] = useState(first);
  const set = (part: Partial<GivenReport>) => setGiven({ ...given, ...part });
  const { every, weekday, day, hour, member_ids, channel_id } = given;
  const possible = channels.filter((c) => c.id === channel_id || (c.is_member && !c.is_archived && c.status === "inactive"));
  // Those who left are not sent along: the server takes only members.
  const left = member_ids.filter((id) => members.some((m) => m.id === id));
  const body = { every, weekday, day, hour, member_ids: left, channel_id };
  return (
    <DialogForm
      send={() => (was ? changeReport(client, was.id, body) : makeReport(client, board.id, body))}
      done={() => {
        tell(t`Saved.`);
        close();
      }}
      close={close}
      yes={t`Save`}
      ready={left.length > 0 || channel_id !== null}
    >
      {(wrong) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: every === "day" ? 2 : 3 }}>
            <Select
              label={t`How often`}
              data-autofocus
              allowDeselect={false}
              data={[
                { value: "day", label: t`Every day` },
                { value: "week", label: t`Every week` },
                { value: "month", label: t`Every month` },
              ]}
              value={every}
              onChange={(v) => v && set({ every: v as Report["every"] })}
              error={wrong("every")}
            />
            {every === "week" && (
              <Select
                label={t({ message: "On", context: "day of the week" })}
                allowDeselect={false}
                data={weekdays.map((d) => ({ value: d, label: dayNames[d] }))}
                value={weekday}
                onChange={(v) => v && set({ weekday: v as Weekday })}
                error={wrong("weekday")}
              />
            )}
            {every === "month" && (
              <Select
                label={t({ message: "On day", context: "day of the month" })}
                description={day > 28 ? t`Or on the last day of a shorter month` : undefined}
                inputWrapperOrder={labelFirst}
                allowDeselect={false}
                data={days}
                value={String(day)}
                onChange={(v) => v && set({ day: Number(v) })}
                error={wrong("day")}
              />
            )}
            <Select
              label={t({ message: "At", context: "time of day" })}
              description={t`Time zone: ${zone}`}
              inputWrapperOrder={labelFirst}
              allowDeselect={false}
              data={hours}
              value={String(hour)}
              onChange={(v) => v && set({ hour: Number(v) })}
              error={wrong("hour")}
            />
          </SimpleGrid>
          <MultiSelect
            label={t`Members, by email`}
            description={mails ? undefined : t`This server sends no email. Choose a channel instead.`}
            disabled={!mails}
            searchable
            hidePickedOptions
            maxValues={20}
            data={members.map((m) => ({ value: String(m.id), label: m.name === m.email ? m.name : `${m.name} (${m.email})` }))}
            value={left.map(String)}
            onChange={(ids) => set({ member_ids: ids.map(Number) })}
            error={wrong("member_ids")}
          />
          <Select
            label={t`Channel`}
            description={t`Only channels that the Frontdesk bot is in and no customer writes in.`}
            placeholder={possible.length > 0 ? t({ message: "None", context: "channel" }) : t`No such channel`}
            searchable
            clearable
            clearButtonProps={{ "aria-label": t`No channel` }}
            data={possible.map((c) => ({ value: c.id, label: `#${c.name}` }))}
            value={channel_id}
            onChange={(v) => set({ channel_id: v })}
            error={wrong("channel_id")}
          />
          <Text size="sm" c="dimmed">
            {was && !was.mine ? t`Everyone who gets it sees the numbers of the requests its owner can see.` : t`Everyone who gets it sees the numbers of the requests you can see.`}
          </Text>
        </>
      )}
    </DialogForm>
  );
}

/** "Every week on Monday at 09:00". */
function rhythm({ every, weekday, day, hour }: Report): string {
  const time = hourName(hour);
  const weekdayName = dayNames[weekday];
  switch (every) {
    case "day":
      return t`Every day at ${time}`;
    case "week":
      return t`Every week on ${weekdayName} at ${time}`;
    case "month":
      return t`Every month on day ${day} at ${time}`;
  }
}

function recipients(r: Report, nameOf: (id: number) => string, channelOf: (id: string) => string): string {
  return [...r.member_ids.map(nameOf), ...(r.channel_id === null ? [] : [channelOf(r.channel_id)])].join(", ");
}

function hourName(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

/** A point in time by the clock of the account, by which it is sent. */
function inZone(at: string, zone: string): string {
  return `${new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: zone }).format(new Date(at))} (${zone})`;
}
