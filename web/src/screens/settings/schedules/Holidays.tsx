import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Checkbox, Group, Text, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type FormEvent, useRef, useState } from "react";
import { type Holiday, type Schedule, changeSchedule } from "../../../data/schedules";
import { SavedMark, useSaving } from "../../../parts/Saved";
import { tellUndo } from "../../../tell";
import { Section } from "../Column";
import { Row, Rows } from "../Rows";
import { hoursInWords } from "../../../parts/week";
import { dayInWords, endFromBox } from "./hours";

const most = 366;

/** The days on which nothing is open but their own hours. */
export function Holidays({ schedule }: { schedule: Schedule }) {
  const saving = useSaving();
  const latest = useRef(schedule.holidays);
  latest.current = schedule.holidays;
  const save = (holidays: Holiday[]) => saving.run(() => changeSchedule(schedule.id, { holidays: holidays.sort((a, b) => a.date.localeCompare(b.date)) }));
  const remove = (h: Holiday) => {
    const called = h.name ?? dayInWords(h.date);
    void save(latest.current.filter((o) => o.date !== h.date)).then((kept) => {
      if (kept) tellUndo(t`${called} removed.`, () => void save([...latest.current.filter((o) => o.date !== h.date), h]));
    });
  };
  return (
    <Section title={t`Holidays`} about={t`On a holiday, only its own hours count. A shift that started the evening before ends at midnight.`} action={<SavedMark state={saving.state} />}>
      {schedule.holidays.length > 0 && (
        <Rows label={t`Holidays`}>
          {schedule.holidays.map((h) => (
            <Row key={h.date} action={<RemoveButton called={h.name ?? dayInWords(h.date)} remove={() => remove(h)} />}>
              <Text fw={550}>{h.name ?? t`Holiday`}</Text>
              <Text size="sm" c="dimmed">
                {dayInWords(h.date)}, {hoursInWords(h.hours)}
              </Text>
            </Row>
          ))}
        </Rows>
      )}
      {saving.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          {saving.error}
        </Text>
      )}
      {schedule.holidays.length < most && <AddHoliday there={schedule.holidays} add={(h) => save([...latest.current, h])} />}
    </Section>
  );
}

function RemoveButton({ called, remove }: { called: string; remove: () => void }) {
  return (
    <ActionIcon aria-label={t`Remove ${called}`} onClick={remove}>
      <IconX size={16} aria-hidden />
    </ActionIcon>
  );
}

function AddHoliday({ there, add }: { there: Holiday[]; add: (h: Holiday) => Promise<boolean> }) {
  const [date, setDate] = useState("");
  const [name, setName] = useState("");
  const [open, setOpen] = useState(false);
  const [from, setFrom] = useState("09:00");
  const [to, setTo] = useState("12:00");
  const twice = there.some((h) => h.date === date);
  const submit = async (e: FormEvent) => {
    e.preventDefault();
    if (date === "" || twice || !(await add({ date, name: name.trim() || null, hours: open ? [{ from, to: endFromBox(to) }] : [] }))) return;
    setDate("");
    setName("");
    setOpen(false);
  };
  return (
    <form onSubmit={(e) => void submit(e)}>
      <Group align="flex-end" gap="sm">
        <TextInput type="date" label={t`Date`} required withAsterisk={false} value={date} onChange={(e) => setDate(e.currentTarget.value)} error={twice && t`Already added.`} />
        <TextInput label={t`Holiday name`} placeholder={t`Christmas Day`} maxLength={200} value={name} onChange={(e) => setName(e.currentTarget.value)} style={{ flex: 1, minWidth: 180 }} />
        <Button type="submit" variant="default" size="sm" disabled={date === "" || twice}>
          {t`Add holiday`}
        </Button>
      </Group>
      <Group gap="xs" mt="sm" mih={30}>
        <Checkbox label={t`Open for some hours`} checked={open} onChange={(e) => setOpen(e.currentTarget.checked)} />
        {open && (
          <>
            <TextInput type="time" size="xs" required aria-label={t`Holiday: from`} value={from} onChange={(e) => setFrom(e.currentTarget.value)} />
            <Text c="dimmed">{t({ message: "to", context: "between two times" })}</Text>
            <TextInput type="time" size="xs" required aria-label={t`Holiday: to`} value={to} onChange={(e) => setTo(e.currentTarget.value)} />
          </>
        )}
      </Group>
    </form>
  );
}
