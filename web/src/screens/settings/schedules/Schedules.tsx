import { Button, Modal, Select, Text, TextInput } from "@mantine/core";
import { IconCalendarTime, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useIsAdmin, useMe } from "../../../data/me";
import { type Schedule, makeSchedule, schedulesQuery } from "../../../data/schedules";
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
      New schedule
    </Button>
  );
  return (
    <SettingsColumn title="Schedules" about="A schedule defines your working hours. SLA policies and collections only count time within them." action={make}>
      {schedules.isPending && <Loading shape="rows" rows={3} />}
      {schedules.isError && <Failure error={schedules.error} retry={() => void schedules.refetch()} />}
      {schedules.data?.length === 0 && (
        <Empty icon={IconCalendarTime} title="No schedules yet" action={make}>
          Without one, SLA timers run 24/7.
        </Empty>
      )}
      {schedules.data && schedules.data.length > 0 && (
        <Rows label="Schedules">
          {schedules.data.map((s) => (
            <Row key={s.id}>
              <Link to="/settings/schedules/$id" params={{ id: String(s.id) }} className={settings.link}>
                {s.name}
              </Link>
              <Text size="sm">{weekInWords(s.hours)}</Text>
              <Text size="sm" c="dimmed">
                {s.time_zone}
                {s.holidays.length > 0 && `, ${s.holidays.length} ${s.holidays.length === 1 ? "holiday" : "holidays"}`}
              </Text>
            </Row>
          ))}
        </Rows>
      )}
      <Modal opened={making} onClose={() => setMaking(false)} title="New schedule">
        <Form close={() => setMaking(false)} made={(s) => void navigate({ to: "/settings/schedules/$id", params: { id: String(s.id) } })} />
      </Modal>
    </SettingsColumn>
  );
}

const workday = [{ from: "09:00", to: "17:00" }];

/** A name and a place; the hours begin as those of an office and are set on its page. */
function Form({ close, made }: { close: () => void; made: (s: Schedule) => void }) {
  const [name, setName] = useState("");
  const [zone, setZone] = useState(useMe()?.account.time_zone ?? "UTC");
  const make = () => makeSchedule({ name: name.trim(), time_zone: zone, hours: { monday: workday, tuesday: workday, wednesday: workday, thursday: workday, friday: workday } });
  return (
    <DialogForm send={make} done={made} close={close} yes="Create schedule">
      {(wrong) => (
        <>
          <TextInput
            label="Name"
            placeholder="Office hours"
            required
            withAsterisk={false}
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(e) => setName(e.currentTarget.value)}
            error={wrong("name")}
          />
          <Select
            label="Time zone"
            description="Hours are in this time zone."
            searchable
            allowDeselect={false}
            limit={200}
            data={zones.includes(zone) ? zones : [zone, ...zones]}
            value={zone}
            onChange={(z) => z && setZone(z)}
            error={wrong("time_zone")}
          />
          <Text size="sm" c="dimmed">
            It starts as Monday to Friday, 09:00 to 17:00. You can change this next.
          </Text>
        </>
      )}
    </DialogForm>
  );
}
