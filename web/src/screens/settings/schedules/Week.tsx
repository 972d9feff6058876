import { t } from "@lingui/core/macro";
import { Button, Checkbox, Group, Text } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { type Hours, type Schedule, type Weekday, changeSchedule, weekdays } from "../../../data/schedules";
import { SavedMark, useInOrder, useSaving } from "../../../parts/Saved";
import { Section } from "../Column";
import { Ranges } from "./Ranges";
import classes from "./Week.module.css";
import { dayNames } from "../../../parts/week";
import { isComplete } from "./hours";

const workday: Hours = [{ from: "09:00", to: "17:00" }];

/** The hours of each weekday. What is not right yet is kept on the screen and not sent. */
export function Week({ schedule }: { schedule: Schedule }) {
  const saving = useSaving();
  const inOrder = useInOrder();
  const [drawn, setDrawn] = useState<Schedule["hours"] | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const week = drawn ?? schedule.hours;
  const sent = useRef<Schedule["hours"] | null>(null);
  const save = async (hours: Schedule["hours"]) => {
    if (hours === sent.current) return; // Enter has sent it, and now its box is left
    setDrawn(hours);
    const unfinished = weekdays.find((d) => !isComplete(hours[d]));
    const never = weekdays.every((d) => hours[d].length === 0);
    const day = unfinished && dayNames[unfinished];
    setWrong(day ? t`${day} needs a start and an end time.` : never ? t`Add hours to at least one day. Otherwise nothing would ever be due.` : null);
    if (unfinished || never) return;
    sent.current = hours;
    const kept = await saving.run(() => inOrder(() => changeSchedule(schedule.id, { hours })));
    if (kept) setDrawn((now) => (now === hours ? null : now));
    else sent.current = null;
  };
  const setDay = (day: Weekday, hours: Hours) => void save({ ...week, [day]: hours });
  const draw = (day: Weekday, hours: Hours) => setDrawn({ ...week, [day]: hours });
  return (
    <Section title={t`Week`} about={t`If the end is not after the start, it is on the next day.`} action={<SavedMark state={saving.state} />}>
      <div>
        {weekdays.map((day) => {
          const hours = week[day];
          return (
            <div key={day} className={classes.day} role="group" aria-label={dayNames[day]}>
              <Checkbox className={classes.name} label={dayNames[day]} checked={hours.length > 0} onChange={(e) => setDay(day, e.currentTarget.checked ? workday : [])} />
              <div className={classes.hours}>
                {hours.length === 0 ? (
                  <Text c="dimmed">{t({ message: "Closed", context: "a day of a schedule" })}</Text>
                ) : (
                  <Ranges what={dayNames[day]} hours={hours} draw={(h) => draw(day, h)} save={(h) => setDay(day, h)} done={() => drawn && void save(drawn)} />
                )}
              </div>
            </div>
          );
        })}
      </div>
      {(wrong ?? saving.error) && (
        <Text size="sm" c="var(--bad)" role="alert">
          {wrong ?? saving.error} {t`The hours are not saved yet.`}
        </Text>
      )}
      <Group>
        <Button
          variant="default"
          leftSection={<IconCopy size={14} aria-hidden />}
          disabled={!isComplete(week.monday)}
          onClick={() => void save({ ...week, tuesday: week.monday, wednesday: week.monday, thursday: week.monday, friday: week.monday })}
        >
          {t`Copy Monday’s hours to all weekdays`}
        </Button>
      </Group>
    </Section>
  );
}
