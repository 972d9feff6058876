import { Alert, Button, Checkbox, Group, Switch, Table, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "../../data/me";
import { canAlert, setAlerts, testNotification } from "../../data/notifications";
import { type NotificationKind, type QuietHours, type ServerPreferences, type Ways, changeNotify, preferencesQuery, usePreferences } from "../../data/preferences";
import { type Saving, SavedMark, useInOrder, useSaving } from "../../parts/Saved";
import { Failure, Loading, Refused } from "../../parts/states";
import { tell } from "../../tell";
import { Section, SettingsColumn } from "./Column";
import classes from "./Notifications.module.css";

const kinds: { kind: NotificationKind; label: string; about: string }[] = [
  { kind: "mention", label: "Mentions", about: "Somebody names you in a message or a note." },
  { kind: "assigned", label: "Given to you", about: "Somebody gives you a request." },
  { kind: "team_assigned", label: "Given to your team", about: "Somebody gives a request to a team of yours." },
  { kind: "answer", label: "Answers", about: "The requester writes in a request that is yours or that you follow." },
  { kind: "sla_due", label: "SLA due soon", about: "Half an hour before it is due, for requests that are yours." },
  { kind: "sla_breached", label: "SLA missed", about: "For requests that are yours." },
];

const ways: { way: keyof Ways; label: string }[] = [
  { way: "app", label: "Here" },
  { way: "chat", label: "Chat" },
  { way: "email", label: "Email" },
];

/** What somebody is told, how, and when not. */
export function Notifications() {
  const likes = useQuery(preferencesQuery);
  const saving = useSaving();
  return (
    <SettingsColumn
      title="Notifications"
      about="What you are told, and how. You are never told of what you did yourself or of a request that you are looking at."
      action={<SavedMark state={saving.state} />}
    >
      {likes.isPending && <Loading rows={6} />}
      {likes.isError && !likes.data && <Failure error={likes.error} retry={() => void likes.refetch()} />}
      {likes.data && (
        <>
          {saving.error && (
            <Alert color="red" variant="light" role="alert">
              {saving.error}
            </Alert>
          )}
          <WaysTable likes={likes.data} saving={saving} />
          <Browser />
          <Quiet key={JSON.stringify(likes.data.quiet_hours)} hours={likes.data.quiet_hours} saving={saving} />
          <Tests />
        </>
      )}
    </SettingsColumn>
  );
}

function WaysTable({ likes, saving }: { likes: ServerPreferences; saving: Saving }) {
  const me = useMe();
  const inOrder = useInOrder();
  const reaches: Record<keyof Ways, boolean> = { app: true, chat: me === null || me.user !== null, email: me === null || me.sends_mail };
  const change = (kind: NotificationKind, change: Partial<Ways>) => void saving.run(() => inOrder(() => changeNotify({ notify: { [kind]: change } })));
  return (
    <Section title="What and how" about="By chat and email you get what you have not read here after two minutes. What is not shown here is not sent either.">
      <div className={classes.scroll}>
        <Table className={classes.table!}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>What</Table.Th>
              {ways.map((w) => (
                <Table.Th key={w.way} className={classes.way!}>
                  {w.label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {kinds.map(({ kind, label, about }) => (
              <Table.Tr key={kind}>
                <Table.Th scope="row" fw={400}>
                  {label}
                  <Text size="xs" c="dimmed">
                    {about}
                  </Text>
                </Table.Th>
                {ways.map((w) => (
                  <Table.Td key={w.way} className={classes.way!}>
                    <Checkbox
                      aria-label={`${label}: ${w.label}`}
                      checked={likes.notify[kind][w.way] && (w.way === "app" || likes.notify[kind].app)}
                      disabled={!reaches[w.way] || (w.way !== "app" && !likes.notify[kind].app)}
                      onChange={(e) => change(kind, { [w.way]: e.currentTarget.checked })}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {!reaches.chat && (
        <Text size="sm" c="dimmed">
          Nobody in the chat system has your email address, so you cannot be reached there.
        </Text>
      )}
      {!reaches.email && (
        <Text size="sm" c="dimmed">
          This server sends no email.
        </Text>
      )}
    </Section>
  );
}

/** Notifications of this browser, which belong to the device. */
function Browser() {
  const { alerts } = usePreferences();
  const [refused, setRefused] = useState(false);
  return (
    <Section title="In this browser" about="While you look at another tab or program. Saved in this browser only.">
      <Switch
        label="Show notifications of the browser"
        checked={alerts}
        disabled={!canAlert()}
        onChange={(e) => {
          const on = e.currentTarget.checked;
          void setAlerts(on).then((is) => setRefused(on && !is));
        }}
      />
      {(refused || !canAlert()) && (
        <Text size="sm" c="dimmed" role="alert">
          Your browser does not allow it. Its settings for this page can change that.
        </Text>
      )}
    </Section>
  );
}

const night = { start: "22:00", end: "07:00", time_zone: null };

function Quiet({ hours, saving }: { hours: QuietHours | null; saving: Saving }) {
  const me = useMe();
  const [start, setStart] = useState(hours?.start ?? night.start);
  const [end, setEnd] = useState(hours?.end ?? night.end);
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const account = me?.account.time_zone ?? "UTC";
  const zone = hours?.time_zone ?? account;
  const save = (quiet_hours: QuietHours | null) => void saving.run(() => changeNotify({ quiet_hours }));
  const same = start === end;
  const keep = () => {
    if (hours && !same && start && end && (start !== hours.start || end !== hours.end)) save({ ...hours, start, end });
  };
  return (
    <Section title="Quiet hours" about="What would be sent in these hours is gathered, and sent once as one message when they end. Here you see it at once.">
      <Switch label="Send nothing at certain hours" checked={hours !== null} onChange={(e) => save(e.currentTarget.checked ? { ...night, time_zone: here === account ? null : here } : null)} />
      {hours && (
        <>
          <Group align="end">
            <TextInput type="time" label="From" required value={start} onChange={(e) => setStart(e.currentTarget.value)} onBlur={keep} error={same && "Choose two different times."} />
            <TextInput type="time" label="To" required value={end} onChange={(e) => setEnd(e.currentTarget.value)} onBlur={keep} />
          </Group>
          <Text size="sm" c="dimmed">
            Times of {zone}.{" "}
            {zone !== here && (
              <Button variant="subtle" size="compact-sm" onClick={() => save({ ...hours, time_zone: here === account ? null : here })}>
                Use {here}
              </Button>
            )}
          </Text>
        </>
      )}
    </Section>
  );
}

/** Shows whether messages arrive. */
function Tests() {
  const [busy, setBusy] = useState<"chat" | "email" | null>(null);
  const [error, setError] = useState<unknown>(null);
  const test = async (way: "chat" | "email") => {
    setBusy(way);
    setError(null);
    try {
      await testNotification(way);
      tell(way === "chat" ? "A test is on its way to your direct messages." : "A test is on its way to your mailbox.");
    } catch (e) {
      setError(e);
    } finally {
      setBusy(null);
    }
  };
  return (
    <Section title="Test" about="Send yourself a message to see whether it arrives. Quiet hours do not hold it back.">
      <Group>
        <Button variant="default" loading={busy === "chat"} onClick={() => void test("chat")}>
          Test by chat
        </Button>
        <Button variant="default" loading={busy === "email"} onClick={() => void test("email")}>
          Test by email
        </Button>
      </Group>
      <Refused error={error} />
    </Section>
  );
}
