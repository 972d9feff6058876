import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Group, Menu, Stack, TextInput } from "@mantine/core";
import { IconCheck, IconFilter } from "@tabler/icons-react";
import { type FormEvent, memo, useState } from "react";
import { useMe } from "../../data/me";
import { choiceAt } from "../../parts/Choice";
import { Keys, useCommands } from "../../frame/commands";
import { afterOf, beforeOf, endDay, firstDay } from "../../parts/days";
import { Dialog } from "../../parts/Dialog";
import { Tip } from "../../parts/Tip";
import { FilterChoice } from "./FilterChoice";
import { type ChosenFilter, choices } from "./filterNames";
import { type Filters, withValues } from "./filters";
import classes from "./Inbox.module.css";
import { onlyUnsolved } from "./triage";

type Props = { filters: Filters; narrow: (f: Filters) => void };

const orders = (): { label: string; filter_by?: string; sort_order?: string; sort?: string }[] => [
  { label: t`Newest first` },
  { label: t`Oldest first`, sort_order: "asc" },
  { label: t`Last updated first`, filter_by: "updated_at" },
  { label: t`Last message first`, filter_by: "last_message_at" },
  { label: t`Longest silence first`, filter_by: "last_message_at", sort_order: "asc" },
  { label: t`Next due first`, sort: "next_due" },
  { label: t`Most urgent first`, sort: "priority" },
];

/** What the list can be narrowed to, and its order. */
export const FilterMenu = memo(function FilterMenu({ filters, narrow }: Props) {
  const [opened, setOpened] = useState(false);
  const [choosing, setChoosing] = useState<ChosenFilter | "dates" | null>(null);
  useCommands([{ id: "filter", label: t`Filter list`, keys: "f", group: t`List`, run: () => setOpened(true) }]);
  const tick = (on: boolean) => (on ? <IconCheck size={14} aria-label={t`Selected`} /> : <span className={classes.blank} />);
  const { filter_by: _, sort_order: __, sort: ___, ...unordered } = filters;
  return (
    <>
      <Menu opened={opened} onChange={setOpened} position="bottom-end" width={210} id="filters">
        <Menu.Target>
          <Tip
            label={
              <>
                {t({ message: "Filter", context: "verb" })} <Keys keys="f" />
              </>
            }
          >
            <ActionIcon id="filters" aria-label={t({ message: "Filter", context: "verb" })} {...choiceAt("filter")}>
              <IconFilter size={16} aria-hidden />
            </ActionIcon>
          </Tip>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu}>
          <Menu.Label>
            {t`Filter by`} <Keys keys="f" />
          </Menu.Label>
          {(Object.entries(choices()) as [ChosenFilter, string][]).map(([name, label]) => (
            <Menu.Item key={name} leftSection={tick((name === "sla" ? (filters.sla ?? filters.due_within) : filters[name]) !== undefined)} onClick={() => setChoosing(name)}>
              {label}…
            </Menu.Item>
          ))}
          <Menu.Item leftSection={tick(filters.after !== undefined || filters.before !== undefined)} onClick={() => setChoosing("dates")}>
            {t`Dates…`}
          </Menu.Item>
          <Menu.Item leftSection={tick(filters.unread !== undefined)} onClick={() => narrow(withValues(filters, "unread", filters.unread ? [] : ["true"]))}>
            {t`Unread`}
          </Menu.Item>
          <Menu.Item leftSection={tick(filters.following !== undefined)} onClick={() => narrow(withValues(filters, "following", filters.following ? [] : ["true"]))}>
            {t`Following`}
          </Menu.Item>
          <Menu.Item leftSection={tick(filters.snoozed === "true")} onClick={() => narrow(withValues(filters, "snoozed", filters.snoozed === "true" ? [] : ["true"]))}>
            {t`Snoozed`}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t`Sort by`}</Menu.Label>
          {orders().map(({ label, ...order }) => (
            <Menu.Item
              key={label}
              leftSection={tick(order.filter_by === filters.filter_by && order.sort_order === filters.sort_order && order.sort === filters.sort)}
              // What was found is ordered by when it was made, and some orders are for unsolved requests.
              disabled={
                (filters.query !== undefined && (order.filter_by ?? order.sort) !== undefined) || (!onlyUnsolved(filters) && (order.sort !== undefined || order.filter_by === "last_message_at"))
              }
              onClick={() => narrow({ ...unordered, ...order })}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {choosing !== null && choosing !== "dates" && <FilterChoice name={choosing} filters={filters} narrow={narrow} close={() => setChoosing(null)} />}
      <Dialog opened={choosing === "dates"} onClose={() => setChoosing(null)} title={t`Dates`} size="xs">
        {choosing === "dates" && <Dates filters={filters} narrow={narrow} close={() => setChoosing(null)} />}
      </Dialog>
    </>
  );
});

function Dates({ filters, narrow, close }: Props & { close: () => void }) {
  const zone = useMe()?.account.time_zone ?? "UTC";
  const [given] = useState(() => ({
    after: filters.after ? (firstDay(filters.after, zone) ?? filters.after.slice(0, 10)) : "",
    before: filters.before ? (endDay(filters.before, zone) ?? filters.before.slice(0, 10)) : "",
  }));
  const [after, setAfter] = useState(given.after);
  const [before, setBefore] = useState(given.before);
  const save = (e: FormEvent) => {
    e.preventDefault();
    // What nobody has changed stays as it is: it may be a moment in the middle of a day.
    const from = after === given.after ? filters.after : after && afterOf(after, zone);
    const to = before === given.before ? filters.before : before && beforeOf(before, zone);
    narrow(withValues(withValues(filters, "after", from ? [from] : []), "before", to ? [to] : []));
    close();
  };
  const byUpdate = filters.filter_by === "updated_at";
  return (
    <form onSubmit={save}>
      <Stack>
        <TextInput type="date" label={byUpdate ? t`Updated on or after` : t`Created on or after`} value={after} onChange={(e) => setAfter(e.currentTarget.value)} data-autofocus />
        <TextInput type="date" label={byUpdate ? t`Updated before` : t`Created before`} value={before} onChange={(e) => setBefore(e.currentTarget.value)} />
        <Group justify="flex-end">
          <Button type="submit">{t`Apply`}</Button>
        </Group>
      </Stack>
    </form>
  );
}
