import { t } from "@lingui/core/macro";
import { Button, Checkbox, Group, MultiSelect, NumberInput, Radio, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { collectionsQuery } from "../../../data/collections";
import { customersQuery } from "../../../data/customers";
import type { Priority } from "../../../data/requests";
import { schedulesQuery } from "../../../data/schedules";
import { type GivenPolicy, type Recompute, type SLAKind, type SLAPolicy, changePolicy, makePolicy, removePolicy } from "../../../data/slaPolicies";
import { Dialog } from "../../../parts/Dialog";
import { DialogForm } from "../../../parts/DialogForm";
import { Question } from "../../../parts/Question";
import { priorityLooks } from "../../../parts/request";
import { tell } from "../../../tell";
import classes from "./EditPolicy.module.css";
import { useNames } from "./useNames";
import { kinds, promiseInWords } from "./words";

/** The form for a new or existing SLA policy, with a summary in one sentence. */
export function EditPolicy({ opened, policy, close }: { opened: boolean; policy: SLAPolicy | null; close: () => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={policy ? t`Edit policy` : t`New policy`} size="lg">
      {opened && <Form key={policy?.id ?? "new"} policy={policy} close={close} />}
    </Dialog>
  );
}

type Unit = "minutes" | "hours";
const mostMinutes = 527040;

function Form({ policy, close }: { policy: SLAPolicy | null; close: () => void }) {
  const collections = useQuery(collectionsQuery).data ?? [];
  const customers = useQuery(customersQuery).data ?? [];
  const schedules = useQuery(schedulesQuery).data ?? [];
  const names = useNames();
  const inHours = policy?.target_minutes != null && policy.target_minutes % 60 === 0;
  const [name, setName] = useState(policy?.name ?? "");
  const [kind, setKind] = useState<SLAKind>(policy?.kind ?? "first_response");
  const [unit, setUnit] = useState<Unit>(policy === null || inHours ? "hours" : "minutes");
  const [length, setLength] = useState<number | string>(policy?.target_minutes == null ? 1 : inHours ? policy.target_minutes / 60 : policy.target_minutes);
  const [replies, setReplies] = useState<number | string>(policy?.max_replies ?? 1);
  const [of, setOf] = useState<Priority[]>(policy?.conditions.priorities ?? []);
  const [customerIDs, setCustomerIDs] = useState<string[]>(policy?.conditions.customer_ids?.map(String) ?? []);
  const [ticket, setTicket] = useState(policy?.conditions.has_ticket === undefined ? "any" : policy.conditions.has_ticket ? "with" : "without");
  const [collection, setCollection] = useState(policy?.collection_id == null ? null : String(policy.collection_id));
  const [schedule, setSchedule] = useState(policy?.schedule_id == null ? null : String(policy.schedule_id));
  const [recompute, setRecompute] = useState<Recompute>("open");
  const [asking, setAsking] = useState(false);

  const given: GivenPolicy = {
    name: name.trim(),
    kind,
    collection_id: collection === null ? null : Number(collection),
    conditions: {
      ...(of.length > 0 && { priorities: of }),
      ...(customerIDs.length > 0 && { customer_ids: customerIDs.map(Number) }),
      ...(ticket !== "any" && { has_ticket: ticket === "with" }),
    },
    ...(kind === "one_touch" ? { max_replies: Number(replies) } : { target_minutes: Number(length) * (unit === "hours" ? 60 : 1) }),
    schedule_id: schedule === null ? null : Number(schedule),
  };
  const save = async () => {
    if (policy) await changePolicy(policy.id, { ...given, recompute });
    else await makePolicy({ ...given, recompute });
  };
  const called = policy?.name ?? given.name;
  const words = kinds();
  const done = () => {
    tell(policy ? t`Saved.` : t`${called} created.`);
    close();
  };
  const remove = policy && (
    <Button variant="default" color="red" c="var(--bad)" onClick={() => setAsking(true)}>
      {t`Delete`}
    </Button>
  );
  return (
    <>
      <DialogForm send={save} done={done} close={close} yes={policy ? t`Save` : t`Create policy`} aside={remove}>
        {(wrong) => (
          <>
            <p className={classes.promise} aria-live="polite" aria-label={t`Summary`}>
              {promiseInWords(given, names)}
            </p>
            <TextInput
              label={t`Name`}
              placeholder={t`Urgent: response within one hour`}
              required
              withAsterisk={false}
              maxLength={200}
              data-autofocus
              value={name}
              onChange={(e) => setName(e.currentTarget.value)}
              error={wrong("name")}
            />
            <Select
              label={t`Target`}
              description={policy ? t`You cannot change this. Create another policy instead.` : words[kind].about}
              data={Object.entries(words).map(([value, { label }]) => ({ value, label }))}
              allowDeselect={false}
              disabled={policy !== null}
              value={kind}
              onChange={(k) => k && setKind(k as SLAKind)}
            />
            {kind === "one_touch" ? (
              <NumberInput
                label={t`Maximum replies`}
                min={0}
                max={100}
                allowDecimal={false}
                required
                withAsterisk={false}
                value={replies}
                onChange={setReplies}
                error={wrong("max_replies")}
                maw={240}
              />
            ) : (
              <Group align="flex-end" gap="xs">
                <NumberInput
                  label={t`Within`}
                  min={1}
                  max={unit === "hours" ? mostMinutes / 60 : mostMinutes}
                  allowDecimal={false}
                  required
                  withAsterisk={false}
                  value={length}
                  onChange={setLength}
                  error={wrong("target_minutes")}
                  w={140}
                />
                <Select
                  aria-label={t`Unit of time`}
                  data={[
                    { value: "minutes", label: t`minutes` },
                    { value: "hours", label: t`hours` },
                  ]}
                  allowDeselect={false}
                  value={unit}
                  onChange={(u) => u && setUnit(u as Unit)}
                  w={120}
                />
              </Group>
            )}
            {kind !== "one_touch" && (
              <Select
                label={t`Working hours`}
                placeholder={t`The collection’s working hours`}
                clearable
                data={schedules.map((s) => ({ value: String(s.id), label: s.name }))}
                value={schedule}
                onChange={setSchedule}
              />
            )}
            <Checkbox.Group label={t`Priorities`} description={t`Leave empty for all.`} value={of} onChange={(v) => setOf(v as Priority[])}>
              <Group mt={6}>
                {(Object.keys(priorityLooks) as Priority[]).map((p) => (
                  <Checkbox key={p} value={p} label={priorityLooks[p].label} />
                ))}
              </Group>
            </Checkbox.Group>
            <MultiSelect
              label={t`Customers`}
              placeholder={customerIDs.length === 0 ? t`All` : ""}
              searchable
              clearable
              limit={200}
              maxValues={1000}
              data={customers.map((c) => ({ value: String(c.id), label: c.name }))}
              value={customerIDs}
              onChange={setCustomerIDs}
            />
            <Select
              label={t`Collection`}
              placeholder={t`All`}
              clearable
              searchable
              data={collections.map((c) => ({ value: String(c.id), label: c.name }))}
              value={collection}
              onChange={setCollection}
            />
            <Select
              label={t`Tickets`}
              allowDeselect={false}
              data={[
                { value: "any", label: t`With or without a ticket` },
                { value: "with", label: t`Only requests with a ticket` },
                { value: "without", label: t`Only requests without a ticket` },
              ]}
              value={ticket}
              onChange={(chosen) => chosen && setTicket(chosen)}
            />
            <Radio.Group label={t`Apply to`} value={recompute} onChange={(r) => setRecompute(r as Recompute)}>
              <Stack gap="xs" mt="xs">
                <Radio value="open" label={t`Open and new requests`} />
                <Radio value="all" label={t`All requests, including past ones`} description={t`Solved and closed requests are recalculated, so past reports change.`} />
              </Stack>
            </Radio.Group>
          </>
        )}
      </DialogForm>
      {policy && (
        <Question
          opened={asking}
          close={() => setAsking(false)}
          title={t`Delete ${called}?`}
          yes={t`Delete policy`}
          run={async () => {
            await removePolicy(policy.id);
            tell(t`${called} deleted.`);
            close();
          }}
        >
          <Text>{t`It no longer applies to open requests. Solved and closed requests keep their results. This cannot be undone. To stop it for a while, turn it off instead.`}</Text>
        </Question>
      )}
    </>
  );
}
