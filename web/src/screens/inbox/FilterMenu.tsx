import { ActionIcon, Button, Group, Menu, Modal, Stack, TextInput, Tooltip } from "@mantine/core";
import { IconCheck, IconFilter } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useMe } from "../../data/me";
import { choiceAt } from "../../parts/Choice";
import { Keys, useCommands } from "../../frame/commands";
import { afterOf, beforeOf, endDay, firstDay } from "../../parts/days";
import { type ChosenFilter, FilterChoice, choices } from "./FilterChoice";
import { type Filters, withValues } from "./filters";
import classes from "./Inbox.module.css";
import { onlyUnsolved } from "./triage";

type Props = { filters: Filters; narrow: (f: Filters) => void };

const orders: { label: string; filter_by?: string; sort_order?: string; sort?: string }[] = [
  { label: "Newest first" },
  { label: "Oldest first", sort_order: "asc" },
  { label: "Last updated first", filter_by: "updated_at" },
  { label: "Last message first", filter_by: "last_message_at" },
  { label: "Longest silence first", filter_by: "last_message_at", sort_order: "asc" },
  { label: "Next due first", sort: "next_due" },
  { label: "Most urgent first", sort: "priority" },
];

/** What the list can be narrowed to, and its order. */
export function FilterMenu({ filters, narrow }: Props) {
  const [opened, setOpened] = useState(false);
  const [choosing, setChoosing] = useState<ChosenFilter | "dates" | null>(null);
  useCommands([{ id: "filter", label: "Filter list", keys: "f", group: "List", run: () => setOpened(true) }]);
  const tick = (on: boolean) => (on ? <IconCheck size={14} aria-label="Selected" /> : <span className={classes.blank} />);
  const { filter_by: _, sort_order: __, sort: ___, ...unordered } = filters;
  return (
    <>
      <Menu opened={opened} onChange={setOpened} position="bottom-end" width={210} id="filters">
        <Menu.Target>
          <Tooltip
            label={
              <>
                Filter <Keys keys="f" />
              </>
            }
          >
            {/* The tooltip keeps the id that names the menu to itself. */}
            <ActionIcon id="filters" aria-label="Filter" {...choiceAt("filter")}>
              <IconFilter size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu}>
          <Menu.Label>
            Filter by <Keys keys="f" />
          </Menu.Label>
          {(Object.keys(choices) as ChosenFilter[]).map((name) => (
            <Menu.Item key={name} leftSection={tick((name === "sla" ? (filters.sla ?? filters.due_within) : filters[name]) !== undefined)} onClick={() => setChoosing(name)}>
              {choices[name]}…
            </Menu.Item>
          ))}
          <Menu.Item leftSection={tick(filters.after !== undefined || filters.before !== undefined)} onClick={() => setChoosing("dates")}>
            Dates…
          </Menu.Item>
          <Menu.Item leftSection={tick(filters.unread !== undefined)} onClick={() => narrow(withValues(filters, "unread", filters.unread ? [] : ["true"]))}>
            Unread
          </Menu.Item>
          <Menu.Item leftSection={tick(filters.following !== undefined)} onClick={() => narrow(withValues(filters, "following", filters.following ? [] : ["true"]))}>
            Following
          </Menu.Item>
          <Menu.Item leftSection={tick(filters.snoozed === "true")} onClick={() => narrow(withValues(filters, "snoozed", filters.snoozed === "true" ? [] : ["true"]))}>
            Snoozed
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>Sort by</Menu.Label>
          {orders.map(({ label, ...order }) => (
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
      <Modal opened={choosing === "dates"} onClose={() => setChoosing(null)} title="Dates" size="xs">
        {choosing === "dates" && <Dates filters={filters} narrow={narrow} close={() => setChoosing(null)} />}
      </Modal>
    </>
  );
}

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
  const what = filters.filter_by === "updated_at" ? "Updated" : "Created";
  return (
    <form onSubmit={save}>
      <Stack>
        <TextInput type="date" label={`${what} on or after`} value={after} onChange={(e) => setAfter(e.currentTarget.value)} data-autofocus />
        <TextInput type="date" label={`${what} before`} value={before} onChange={(e) => setBefore(e.currentTarget.value)} />
        <Group justify="flex-end">
          <Button type="submit">Apply</Button>
        </Group>
      </Stack>
    </form>
  );
}
