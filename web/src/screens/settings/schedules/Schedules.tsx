import { plural, t } from "@lingui/core/macro";
import { Button, Select, Text, TextInput } from "@mantine/core";
import { IconCalendarTime, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useIsAdmin, useMe } from "../../../data/me";
import { type Schedule, makeSchedule, schedulesQuery } from "../../../data/schedules";
import { Dialog } from "../../../parts/Dialog";
import { DialogForm } from "../../../parts/DialogForm";
import { Empty, Failure, Loading } from "../../../parts/states";
import { SettingsColumn } from "../Column";
import { Row, Rows } from "../Rows";
import settings from "../Settings.module.css";
import { weekInWords } from "../../../parts/week";
import { zones } from "./hours";

/** When people are at work. */
export function Schedules() {
  const schedules = useQuery(schedulesQuery);
  const isAdmin = useIsAdmin();
  const navigate = useNavigate();
  const [making, setMaking] = useState(false);
  const make = isAdmin && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t`New schedule`}
    </Button>
  );
  return (
    <SettingsColumn title={t`Schedules`} about={t`A schedule defines your working hours. SLA policies and collections only count time within them.`} action={make}>
      {schedules.isPending && <Loading shape="rows" rows={3} />}
      {schedules.isError && <Failure error={schedules.error} retry={() => void schedules.refetch()} />}
      {schedules.data?.length === 0 && (
        <Empty icon={IconCalendarTime} title={t`No schedules yet`} action={make}>
          {t`Without one, SLA timers run 24/7.`}
        </Empty>
      )}
      {schedules.data && schedules.data.length > 0 && (
        <Rows label={t`Schedules`}>
          {schedules.data.map((s) => (
            <Row key={s.id}>
              <Link to="/settings/schedules/$id" params={{ id: String(s.id) }} className={settings.link}>
                {s.name}
              </Link>
              <Text size="sm">{weekInWords(s.hours)}</Text>
              <Text size="sm" c="dimmed">
                {s.holidays.length > 0 ? withHolidays(s.time_zone, s.holidays.length) : s.time_zone}
              </Text>
            </Row>
          ))}
        </Rows>
      )}
      <Dialog opened={making} onClose={() => setMaking(false)} title={t`New schedule`}>
        <Form close={() => setMaking(false)} made={(s) => void navigate({ to: "/settings/schedules/$id", params: { id: String(s.id) } })} />
      </Dialog>
    </SettingsColumn>
  );
}

function withHolidays(zone: string, count: number): string {
  return t`${zone}, ${plural(count, { one: "# holiday", other: "# holidays" })}`;
}

const workday = [{ from: "09:00", to: "17:00" }];

/** A name and a place; the hours begin as those of an office and are set on its page. */
function Form({ close, made }: { close: () => void; made: (s: Schedule) => void }) {
  const [name, setName] = useState("");
  const [zone, setZone] = useState(useMe()?.account.time_zone ?? "UTC");
  const make = () => makeSchedule({ name: name.trim(), time_zone: zone, hours: { monday: workday, tuesday: workday, wednesday: workday, thursday: workday, friday: workday } });
  return (
    <DialogForm send={make} done={made} close={close} yes={t`Create schedule`}>
      {(wrong) => (
        <>
          <TextInput
            label={t`Name`}
            placeholder={t`Office hours`}
            required
            withAsterisk={false}
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(e) => setName(e.currentTarget.value)}
            error={wrong("name")}
          />
          <Select
            label={t`Time zone`}
            description={t`Hours are in this time zone.`}
            searchable
            allowDeselect={false}
            limit={200}
            data={zones.includes(zone) ? zones : [zone, ...zones]}
            value={zone}
            onChange={(z) => z && setZone(z)}
            error={wrong("time_zone")}
          />
          <Text size="sm" c="dimmed">
            {t`It starts as Monday to Friday, 09:00 to 17:00. You can change this next.`}
          </Text>
        </>
      )}
    </DialogForm>
  );
}
