import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useIsAdmin } from "../../../data/me";
import { type Schedule as ScheduleNoun, changeSchedule, removeSchedule, schedulesQuery, weekdays } from "../../../data/schedules";
import { Question } from "../../../parts/Question";
import { SavedSelect, SavedText } from "../../../parts/Saved";
import { Empty, Failure, Loading } from "../../../parts/states";
import { tell } from "../../../tell";
import { Section, SettingsColumn } from "../Column";
import { Facts } from "../Facts";
import { Up } from "../Up";
import { Recomputation } from "../sla/Recomputation";
import { Holidays } from "./Holidays";
import { Week } from "./Week";
import { dayNames, hoursInWords } from "../../../parts/week";
import { dayInWords, zones } from "./hours";

const route = getRouteApi("/frame/settings/schedules/$id");

/** One schedule: its week, and the days that are different. */
export function Schedule() {
  const id = Number(route.useParams().id);
  const schedules = useQuery(schedulesQuery);
  const isAdmin = useIsAdmin();
  if (schedules.isError) return <Failure whole error={schedules.error} retry={() => void schedules.refetch()} />;
  if (!schedules.data) return <Loading />;
  const schedule = schedules.data.find((s) => s.id === id);
  if (!schedule)
    return (
      <Empty title={t`Schedule not found`} action={<Up page="schedules" label={t`Schedules`} />}>
        {t`It may have been deleted.`}
      </Empty>
    );
  return (
    <SettingsColumn
      title={schedule.name}
      back={<Up page="schedules" label={t`Schedules`} />}
      {...(isAdmin && { about: t`Changes apply to open requests. Solved and closed requests stay as they were.` })}
    >
      <Recomputation />
      {isAdmin ? (
        <Settings key={id} schedule={schedule} />
      ) : (
        <Facts
          of={[
            [t`Time zone`, schedule.time_zone],
            ...weekdays.map((d): [string, string] => [dayNames[d], hoursInWords(schedule.hours[d])]),
            ...schedule.holidays.map((h): [string, string] => [dayInWords(h.date), [h.name, hoursInWords(h.hours)].filter(Boolean).join(", ")]),
          ]}
        />
      )}
    </SettingsColumn>
  );
}

function Settings({ schedule }: { schedule: ScheduleNoun }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const { name } = schedule;
  const save = (change: Parameters<typeof changeSchedule>[1]) => changeSchedule(schedule.id, change);
  return (
    <>
      <Section title={t`Name and time zone`}>
        <SavedText label={t`Name`} field="name" maxLength={200} value={schedule.name} save={(name) => save({ name })} />
        <SavedSelect
          label={t`Time zone`}
          description={t`Hours are in this time zone and follow its daylight saving time.`}
          field="time_zone"
          searchable
          data={zones.includes(schedule.time_zone) ? zones : [schedule.time_zone, ...zones]}
          value={schedule.time_zone}
          save={(time_zone) => save({ time_zone: time_zone ?? schedule.time_zone })}
        />
      </Section>
      <Week schedule={schedule} />
      <Holidays schedule={schedule} />
      <Section title={t`Delete`}>
        <div>
          <Button variant="default" color="red" c="var(--bad)" onClick={() => setAsking(true)}>
            {t`Delete schedule`}
          </Button>
        </div>
      </Section>
      <Question
        opened={asking}
        close={() => setAsking(false)}
        title={t`Delete ${name}?`}
        yes={t`Delete schedule`}
        run={async () => {
          await removeSchedule(schedule.id);
          tell(t`${name} deleted.`);
          await navigate({ to: "/settings/$page", params: { page: "schedules" } });
        }}
      >
        {t`This cannot be undone. A schedule that an SLA policy or a collection uses cannot be deleted.`}
      </Question>
    </>
  );
}
