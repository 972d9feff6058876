import { t } from "@lingui/core/macro";
import { ActionIcon, Group, MultiSelect, Select, TagsInput, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { collectionsQuery } from "../../data/collections";
import { customersQuery } from "../../data/customers";
import { type Filter, type FilterMember, type Meta, short } from "../../data/insights";
import { userQuery, usersFound } from "../../data/people";
import classes from "./Insights.module.css";
import { inWords } from "./format";
import { titleOf } from "./names";
import { operatorName } from "./operators";

const dated = ["in_date_range", "before_date", "after_date"];

/** One thing that must hold. */
export function FilterLine({ filter, meta, change, remove }: { filter: Filter; meta: Meta; change: (f: Filter) => void; remove: () => void }) {
  const member = meta.filters.find((m) => m.name === filter.member);
  const values = (filter.values ?? []).map((v) => v ?? "");
  const set = (given: string[]) => change({ ...filter, values: given });
  return (
    <div className={classes.filter}>
      <Group gap={6} wrap="nowrap">
        <Select
          aria-label={t`Filter by`}
          flex={1}
          searchable
          allowDeselect={false}
          data={meta.filters.map((m) => ({ value: m.name, label: titleOf(m.name, meta.filters) }))}
          value={filter.member}
          onChange={(name) => {
            const chosen = meta.filters.find((m) => m.name === name);
            if (chosen) change({ member: chosen.name, operator: chosen.operators[0] ?? "equals", values: [] });
          }}
        />
        <ActionIcon aria-label={t`Remove filter`} onClick={remove}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <Select
        aria-label={t`Operator`}
        allowDeselect={false}
        data={(member?.operators ?? [filter.operator]).map((o) => ({ value: o, label: operatorName(o) }))}
        value={filter.operator}
        onChange={(operator) => {
          if (!operator) return;
          // A list of days is not a list of options.
          const kept = dated.includes(operator) === dated.includes(filter.operator) ? values : [];
          change({ ...filter, operator, values: operator === "set" || operator === "not_set" ? [] : kept });
        }}
      />
      {filter.operator !== "set" && filter.operator !== "not_set" && <Values member={member} filter={filter} values={values} set={set} />}
    </div>
  );
}

function Values({ member, filter, values, set }: { member: FilterMember | undefined; filter: Filter; values: string[]; set: (v: string[]) => void }) {
  const name = short(filter.member);
  if (dated.includes(filter.operator)) {
    const label = filter.operator === "in_date_range" ? [t`First day`, t`Last day`] : [t`Day`];
    return (
      <Group gap={6} grow>
        {label.map((l, i) => (
          <TextInput
            key={l}
            type="date"
            aria-label={l}
            value={values[i] ?? ""}
            onChange={(e) => set(label.map((_, k) => (k === i ? e.currentTarget.value : (values[k] ?? ""))).filter((v) => v !== ""))}
          />
        ))}
      </Group>
    );
  }
  const byText = filter.operator === "contains" || filter.operator === "not_contains";
  if (!byText) {
    if (name === "customer_id" || name === "collection_id") return <Named name={name} values={values} set={set} />;
    if (name === "assignee_user_id" || (member?.custom_field_id !== undefined && member.type === "string")) return <People values={values} set={set} />;
    const known = member?.options?.map((o) => ({ value: o.id, label: o.value })) ?? member?.values?.map((v) => ({ value: v, label: inWords(v) }));
    if (known) return <MultiSelect aria-label={t`Values`} placeholder={values.length === 0 ? t`Any of` : ""} searchable hidePickedOptions data={known} value={values} onChange={set} />;
  }
  return (
    <TagsInput
      aria-label={t`Values`}
      placeholder={values.length === 0 ? t`Type and press Enter` : ""}
      value={values}
      onChange={set}
      {...(["gt", "gte", "lt", "lte"].includes(filter.operator) && { maxTags: 1 })}
    />
  );
}

function Named({ name, values, set }: { name: "customer_id" | "collection_id"; values: string[]; set: (v: string[]) => void }) {
  const customers = useQuery({ ...customersQuery, enabled: name === "customer_id" }).data ?? [];
  const collections = useQuery({ ...collectionsQuery, enabled: name === "collection_id" }).data ?? [];
  const data = (name === "customer_id" ? customers : collections).map((x) => ({ value: String(x.id), label: x.name }));
  return <MultiSelect aria-label={t`Values`} placeholder={values.length === 0 ? t`Any of` : ""} searchable hidePickedOptions limit={100} data={data} value={values} onChange={set} />;
}

/** People are found by typing: there may be thousands. */
function People({ values, set }: { values: string[]; set: (v: string[]) => void }) {
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed, 200);
  const found = useQuery(usersFound(query)).data ?? [];
  const chosen = useQueries({ queries: values.map((id) => userQuery(id)), combine: (all) => all.flatMap((q) => (q.data ? [q.data] : [])) });
  const people = new Map([...chosen, ...found].map((u) => [u.id, u.name]));
  for (const id of values) if (!people.has(id)) people.set(id, id);
  return (
    <MultiSelect
      aria-label={t`People`}
      placeholder={values.length === 0 ? t`Any of` : ""}
      searchable
      hidePickedOptions
      searchValue={typed}
      onSearchChange={setTyped}
      data={[...people].map(([value, label]) => ({ value, label }))}
      value={values}
      onChange={set}
    />
  );
}
