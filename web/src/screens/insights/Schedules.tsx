import { Alert, Button, Group, Modal, MultiSelect, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { channelsQuery } from "../../data/channels";
import type { Dashboard } from "../../data/explorations";
import { useMayWrite, useMe } from "../../data/me";
import { membersQuery } from "../../data/members";
import { type GivenReport, type Report, changeReport, makeReport, removeReport, reportsQuery, sendDashboard } from "../../data/reports";
import { weekdays } from "../../data/schedules";
import { DialogForm } from "../../parts/DialogForm";
import { Question } from "../../parts/Question";
import { Failure, Loading } from "../../parts/states";
import { dayNames } from "../../parts/week";
import { tell, tellProblem } from "../../tell";

type Props = { board: Dashboard; opened: boolean; close: () => void };

/** When and to whom a dashboard is sent. */
export function Schedules({ board, opened, close }: Props) {
  return (
    <Modal opened={opened} onClose={close} title="Send on a schedule" size="lg">
      {opened && <Content board={board} />}
    </Modal>
  );
}

/** Sends a dashboard to who asks. */
export async function sendToMe(board: Dashboard): Promise<void> {
  try {
    await sendDashboard(board.id);
    tell("It is on its way to you.");
  } catch (e) {
    tellProblem(e, "The dashboard was not sent.");
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
  const nameOf = (id: number) => members.data.find((m) => m.id === id)?.name ?? "somebody who left";
  const channelOf = (id: string) => `#${channels.data.find((c) => c.id === id)?.name ?? id}`;
  if (editing) return <Form board={board} was={editing === "new" ? null : editing} zone={zone} close={() => setEditing(null)} />;
  const send = async () => {
    setSending(true);
    await sendToMe(board);
    setSending(false);
  };
  return (
    <Stack>
      <Text c="dimmed">Whoever gets it sees the numbers of the requests that its owner may see.</Text>
      {own.length === 0 && <Text>This dashboard is not sent on a schedule yet.</Text>}
      {own.map((r) => (
        <Stack key={r.id} gap={4} role="group" aria-label={`${rhythm(r)} to ${recipients(r, nameOf, channelOf)}`}>
          <Text fw={500}>{rhythm(r)}</Text>
          <Text size="sm" dir="auto">
            To {recipients(r, nameOf, channelOf)}
            {!r.mine && `, set up by ${nameOf(r.member_id)}`}
          </Text>
          <Text size="sm" c="dimmed">
            {r.stopped === null ? `Next: ${inZone(r.next_at, zone)}` : "No next time"}. {r.sent_at === null ? "Not sent yet." : `Last sent: ${inZone(r.sent_at, zone)}.`}
          </Text>
          {(r.stopped ?? r.failure) !== null && (
            <Alert color="red" variant="light" title={r.stopped === null ? "The last one did not reach everybody" : "It is sent no more"}>
              <span dir="auto">{r.stopped ?? r.failure}</span>
              {r.stopped !== null && mayWrite && " Edit and save it to send it again."}
            </Alert>
          )}
          <Group gap="xs">
            {mayWrite && (
              <Button size="compact-sm" variant="default" onClick={() => setEditing(r)}>
                Edit
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={() => setRemoving(r)}>
              Remove
            </Button>
          </Group>
        </Stack>
      ))}
      <Group justify="flex-end">
        <Button variant="default" loading={sending} onClick={() => void send()}>
          Send now to me
        </Button>
        {mayWrite && (
          <Button data-autofocus onClick={() => setEditing("new")}>
            Add a schedule
          </Button>
        )}
      </Group>
      <Question
        opened={removing !== null}
        close={() => setRemoving(null)}
        title="Remove this schedule?"
        yes="Remove"
        run={async () => {
          if (removing) await removeReport(client, removing.id);
        }}
      >
        The dashboard stays. It is not sent any more.
      </Question>
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
  const first: GivenReport = was ?? { every: "week", weekday: 1, day: 1, hour: 9, member_ids: me && mails ? [me.member.id] : [], channel_id: null };
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
        tell("Saved.");
        close();
      }}
      close={close}
      yes="Save"
      ready={left.length > 0 || channel_id !== null}
    >
      {(wrong) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: every === "day" ? 2 : 3 }}>
            <Select
              label="How often"
              data-autofocus
              allowDeselect={false}
              data={[
                { value: "day", label: "Every day" },
                { value: "week", label: "Every week" },
                { value: "month", label: "Every month" },
              ]}
              value={every}
              onChange={(v) => v && set({ every: v as Report["every"] })}
              error={wrong("every")}
            />
            {every === "week" && (
              <Select
                label="On"
                allowDeselect={false}
                data={weekdays.map((d, i) => ({ value: String(i + 1), label: dayNames[d] }))}
                value={String(weekday)}
                onChange={(v) => v && set({ weekday: Number(v) })}
                error={wrong("weekday")}
              />
            )}
            {every === "month" && (
              <Select
                label="On day"
                description={day > 28 ? "Or on the last day of a shorter month" : undefined}
                inputWrapperOrder={labelFirst}
                allowDeselect={false}
                data={days}
                value={String(day)}
                onChange={(v) => v && set({ day: Number(v) })}
                error={wrong("day")}
              />
            )}
            <Select
              label="At"
              description={`Time zone: ${zone}`}
              inputWrapperOrder={labelFirst}
              allowDeselect={false}
              data={hours}
              value={String(hour)}
              onChange={(v) => v && set({ hour: Number(v) })}
              error={wrong("hour")}
            />
          </SimpleGrid>
          <MultiSelect
            label="Members, by email"
            description={mails ? undefined : "This server sends no email. Choose a channel instead."}
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
            label="Channel"
            description="Where our bot is a member and no customer writes."
            placeholder={possible.length > 0 ? "None" : "There is no such channel"}
            searchable
            clearable
            clearButtonProps={{ "aria-label": "No channel" }}
            data={possible.map((c) => ({ value: c.id, label: `#${c.name}` }))}
            value={channel_id}
            onChange={(v) => set({ channel_id: v })}
            error={wrong("channel_id")}
          />
          <Text size="sm" c="dimmed">
            Everybody who gets it sees the numbers of the requests that {was && !was.mine ? "its owner" : "you"} may see.
          </Text>
        </>
      )}
    </DialogForm>
  );
}

/** "Every week on Monday at 09:00". */
function rhythm({ every, weekday, day, hour }: Report): string {
  const name = weekdays[weekday - 1];
  const on = every === "week" && name ? ` on ${dayNames[name]}` : every === "month" ? ` on day ${day}` : "";
  return `Every ${every}${on} at ${hourName(hour)}`;
}

function recipients(r: Report, nameOf: (id: number) => string, channelOf: (id: string) => string): string {
  return [...r.member_ids.map(nameOf), ...(r.channel_id === null ? [] : [channelOf(r.channel_id)])].join(", ");
}

function hourName(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

/** A point in time by the clock of the account, by which it is sent. */
function inZone(at: string, zone: string): string {
  return `${new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: zone }).format(new Date(at))} (${zone})`;
}
