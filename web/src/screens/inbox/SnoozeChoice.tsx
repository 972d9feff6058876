// Until when requests are snoozed.
import { t } from "@lingui/core/macro";
import { Text, TextInput } from "@mantine/core";
import { IconArrowBackUp, IconCalendarTime, IconClock, IconMessageReply } from "@tabler/icons-react";
import { useState } from "react";
import { useMe } from "../../data/me";
import type { ListedRequest, RequestChange } from "../../data/requests";
import { Choice, type Option } from "../../parts/Choice";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { dateAndTime } from "../../parts/time";
import { type SnoozeTime, snoozeTimes } from "./snoozeTimes";
import { titled } from "./useDoing";

type Props = {
  title: string;
  at: readonly string[];
  requests: ListedRequest[];
  change: (change: (r: ListedRequest) => RequestChange | null, did: (n: number, first: ListedRequest) => string) => void;
  close: () => void;
};

const sleeps = (r: ListedRequest) => r.snooze !== undefined && r.snooze.back === null;

/** Offers the times that people mean most often, an answer, and any other time. */
export function SnoozeChoice({ title, at: places, requests, change, close }: Props) {
  const zone = useMe()?.account.time_zone ?? "UTC";
  const [times] = useState(() => snoozeTimes(zone, Date.now()));
  const [picking, setPicking] = useState(false);
  const snooze = (until: string | null) =>
    change(
      (r) => (r.state === "solved" || r.state === "closed" || r.state === null ? null : { snooze: { until } }),
      (n, first) => {
        const requests = titled(n, first);
        const time = until === null ? null : dateAndTime(until);
        return time === null ? t`${requests} snoozed until the customer answers.` : t`${requests} snoozed until ${time}.`;
      },
    );
  const bringBack = () =>
    change(
      (r) => (r.snooze ? { snooze: null } : null),
      (n, first) => {
        const requests = titled(n, first);
        return t`${requests} brought back.`;
      },
    );
  const options: Option[] = [
    ...(requests.some(sleeps) ? [{ value: "back", label: t`Bring back now`, sign: <IconArrowBackUp size={15} aria-hidden /> }] : []),
    ...times.map(({ when, at }) => ({ value: when, label: `${nameOf(when)} · ${dateAndTime(at)}`, sign: <IconClock size={15} aria-hidden /> })),
    { value: "answer", label: t`Until the customer answers`, sign: <IconMessageReply size={15} aria-hidden /> },
    { value: "pick", label: t`Pick a date and time…`, sign: <IconCalendarTime size={15} aria-hidden /> },
  ];
  const choose = (value: string) => {
    if (value === "pick") return setPicking(true);
    if (value === "back") bringBack();
    else snooze(value === "answer" ? null : at(times, value));
    close();
  };
  if (picking)
    return (
      <Dialog opened onClose={close} title={title} size="xs">
        <Pick snooze={snooze} close={close} />
      </Dialog>
    );
  // It closes by itself, because one of the choices leads on.
  return <Choice opened at={places} title={title} options={options} chosen={[]} choose={choose} several close={close} />;
}

const at = (times: SnoozeTime[], when: string) => new Date(times.find((time) => time.when === when)?.at ?? Date.now()).toISOString();

function nameOf(when: SnoozeTime["when"]): string {
  switch (when) {
    case "later":
      return t`Later today`;
    case "soon":
      return t`In three hours`;
    case "tomorrow":
      return t`Tomorrow morning`;
    case "monday":
      return t`Monday morning`;
    case "week":
      return t`In a week`;
  }
}

/** Any time, by the reader's clock. */
function Pick({ snooze, close }: { snooze: (until: string) => void; close: () => void }) {
  const [until, setUntil] = useState("");
  const time = Date.parse(until);
  const past = !Number.isNaN(time) && time <= Date.now();
  const send = () => {
    snooze(new Date(time).toISOString());
    return Promise.resolve();
  };
  return (
    <DialogForm send={send} done={close} close={close} yes={t({ message: "Snooze", context: "verb" })} ready={!Number.isNaN(time) && !past}>
      {() => (
        <>
          <TextInput type="datetime-local" label={t`Until`} data-autofocus required value={until} onChange={(e) => setUntil(e.currentTarget.value)} error={past && t`Choose a time in the future.`} />
          <Text size="xs" c="dimmed">
            {t`It comes back earlier if the customer answers. SLA clocks keep running.`}
          </Text>
        </>
      )}
    </DialogForm>
  );
}
