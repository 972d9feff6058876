import { t } from "@lingui/core/macro";
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

const kinds = (): { kind: NotificationKind; label: string; about: string }[] => [
  { kind: "mention", label: t`Mentions`, about: t`Someone mentions you in a message or a note.` },
  { kind: "assigned", label: t`Assigned to you`, about: t`Someone assigns you a request.` },
  { kind: "team_assigned", label: t`Assigned to your team`, about: t`Someone assigns a request to one of your teams.` },
  { kind: "answer", label: t`Replies`, about: t`The requester writes in a request that is assigned to you or that you follow.` },
  { kind: "sla_due", label: t`SLA due soon`, about: t`Half an hour before an SLA on one of your requests is due.` },
  { kind: "sla_breached", label: t`SLA missed`, about: t`An SLA on one of your requests was missed.` },
];

const ways = (): { way: keyof Ways; label: string }[] => [
  { way: "app", label: t({ message: "Here", context: "notifications in the app" }) },
  { way: "chat", label: t`Chat` },
  { way: "email", label: t`Email` },
];

/** What somebody is told, how, and when not. */
export function Notifications() {
  const likes = useQuery(preferencesQuery);
  const saving = useSaving();
  return (
    <SettingsColumn
      title={t`Notifications`}
      about={t`Choose what you are notified about, and how. You are never notified about what you did yourself, or about a request you are looking at.`}
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
    <Section title={t`What and how`} about={t`Chat and email get what you have not read here within two minutes. What is turned off here is not sent there either.`}>
      <div className={classes.scroll}>
        <Table className={classes.table!}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t({ message: "What", context: "column" })}</Table.Th>
              {ways().map((w) => (
                <Table.Th key={w.way} className={classes.way!}>
                  {w.label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {kinds().map(({ kind, label, about }) => (
              <Table.Tr key={kind}>
                <Table.Th scope="row" fw={400}>
                  {label}
                  <Text size="xs" c="dimmed">
                    {about}
                  </Text>
                </Table.Th>
                {ways().map((w) => (
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
          {t`No one in your chat system has your email address, so you cannot be reached there.`}
        </Text>
      )}
      {!reaches.email && (
        <Text size="sm" c="dimmed">
          {t`This server does not send email.`}
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
    <Section title={t`In this browser`} about={t`Shown while you are in another tab or app. Saved only in this browser.`}>
      <Switch
        label={t`Show browser notifications`}
        checked={alerts}
        disabled={!canAlert()}
        onChange={(e) => {
          const on = e.currentTarget.checked;
          void setAlerts(on).then((is) => setRefused(on && !is));
        }}
      />
      {(refused || !canAlert()) && (
        <Text size="sm" c="dimmed" role="alert">
          {t`Your browser blocks notifications. Allow them for this page in the browser’s settings.`}
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
    <Section title={t`Quiet hours`} about={t`What would be sent during these hours arrives as one message when they end. You still see everything here at once.`}>
      <Switch label={t`Send nothing during quiet hours`} checked={hours !== null} onChange={(e) => save(e.currentTarget.checked ? { ...night, time_zone: here === account ? null : here } : null)} />
      {hours && (
        <>
          <Group align="end">
            <TextInput type="time" label={t`From`} required value={start} onChange={(e) => setStart(e.currentTarget.value)} onBlur={keep} error={same && t`Choose two different times.`} />
            <TextInput type="time" label={t`To`} required value={end} onChange={(e) => setEnd(e.currentTarget.value)} onBlur={keep} />
          </Group>
          <Text size="sm" c="dimmed">
            {t`Times are in ${zone}.`}{" "}
            {zone !== here && (
              <Button variant="subtle" size="compact-sm" onClick={() => save({ ...hours, time_zone: here === account ? null : here })}>
                {t`Use ${here}`}
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
      tell(way === "chat" ? t`A test is on its way to your direct messages.` : t`A test is on its way to your mailbox.`);
    } catch (e) {
      setError(e);
    } finally {
      setBusy(null);
    }
  };
  return (
    <Section title={t`Test`} about={t`Send yourself a message to check that it arrives. It is sent even during quiet hours.`}>
      <Group>
        <Button variant="default" loading={busy === "chat"} onClick={() => void test("chat")}>
          {t`Test by chat`}
        </Button>
        <Button variant="default" loading={busy === "email"} onClick={() => void test("email")}>
          {t`Test by email`}
        </Button>
      </Group>
      <Refused error={error} />
    </Section>
  );
}
