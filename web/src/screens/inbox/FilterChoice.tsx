// One filter, with what it can be set to.
import { t } from "@lingui/core/macro";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { collectionsQuery } from "../../data/collections";
import { customFieldsQuery, optionsOf } from "../../data/customFields";
import { customersQuery } from "../../data/customers";
import { useMe } from "../../data/me";
import { teamsQuery, usersFound } from "../../data/people";
import { tagsFound } from "../../data/tags";
import { Choice, type Option } from "../../parts/Choice";
import { Face } from "../../parts/Face";
import { priorityLooks, stateLooks } from "../../parts/request";
import { type ChosenFilter, choices, dueTimes, emotions, sentiments, sources } from "./filterNames";
import { type Filters, unsolved, valuesOf, withValues } from "./filters";

type Props = { name: ChosenFilter; filters: Filters; narrow: (f: Filters) => void; close: () => void };

export function FilterChoice({ name, filters, narrow, close }: Props) {
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 150);
  const options = useOptions(name, query);
  const chosen = valuesOf(filters, name === "sla" && filters.due_within ? "due_within" : name);
  // The list of requests takes one collection, and one channel.
  const several = name !== "collection_id" && name !== "channel_id" && name !== "sla";
  const asked = name === "assignee_id" || name === "tag";
  const choose = (value: string) => {
    if (name === "sla") {
      const { sla: _, due_within: __, ...rest } = filters;
      return narrow(chosen.includes(value) ? rest : { ...rest, [value === "breached" ? "sla" : "due_within"]: value });
    }
    if (chosen.includes(value))
      return narrow(
        withValues(
          filters,
          name,
          chosen.filter((v) => v !== value),
        ),
      );
    const alone = !several || value === unsolved || chosen.includes(unsolved);
    narrow(withValues(filters, name, alone ? [value] : [...chosen, value]));
  };
  const waiting = asked && query !== typed.trim();
  return (
    <Choice opened at={["filter"]} title={choices()[name]} options={waiting ? null : options} chosen={chosen} choose={choose} several={several} close={close} {...(asked && { onType: setTyped })} />
  );
}

const named = (names: Record<string, string>): Option[] => Object.entries(names).map(([value, label]) => ({ value, label }));

const entries = <T extends string>(looks: Record<T, { label: string }>): Option[] => (Object.entries(looks) as [T, { label: string }][]).map(([value, { label }]) => ({ value, label }));

/** What can be chosen; null while it is being looked up. */
function useOptions(name: ChosenFilter, query: string): Option[] | null {
  const people = useQuery({ ...usersFound(query), enabled: name === "assignee_id", placeholderData: keepPreviousData });
  const tags = useQuery({ ...tagsFound(query), enabled: name === "tag", placeholderData: keepPreviousData });
  const teams = useQuery({ ...teamsQuery, enabled: name === "team_id" });
  const customers = useQuery({ ...customersQuery, enabled: name === "customer_id" });
  const collections = useQuery({ ...collectionsQuery, enabled: name === "collection_id" || name === "channel_id" });
  const fields = useQuery({ ...customFieldsQuery("request"), enabled: name === "custom_field" }).data;
  const categories = useMe()?.account.categories;
  const listed = (list: { id: number; name: string }[] | undefined) => list?.map((l) => ({ value: String(l.id), label: l.name }));
  const like = (o: Option) => o.label.toLowerCase().includes(query.toLowerCase());
  switch (name) {
    case "state":
      return [{ value: unsolved, label: t`Unsolved` }, ...entries(stateLooks), { value: "none", label: t`Not a request` }];
    case "priority":
      return entries(priorityLooks).reverse();
    case "assignee_id": {
      if (!people.data || people.isPlaceholderData) return null;
      const fixed = [
        { value: "me", label: t({ message: "Me", context: "assignee" }) },
        { value: "none", label: t`Unassigned` },
      ];
      return [...fixed.filter(like), ...people.data.map((u) => ({ value: u.id, label: u.name, sign: <Face id={u.id} name={u.name} /> }))];
    }
    case "tag":
      return tags.isPlaceholderData ? null : (tags.data?.map((tag) => ({ value: tag, label: tag })) ?? null);
    case "team_id":
      return teams.data ? [{ value: "none", label: t`No team` }, ...(listed(teams.data) ?? [])] : null;
    case "customer_id":
      return customers.data ? [{ value: "none", label: t`No customer` }, ...(listed(customers.data) ?? [])] : null;
    case "collection_id":
      return listed(collections.data) ?? null;
    case "sla": // in the order of the times, whatever order objects have their numbers in
      return Object.entries(dueTimes())
        .sort(([a], [b]) => (Number(a) || 0) - (Number(b) || 0))
        .map(([value, label]) => ({ value, label }));
    case "source":
      return named(sources());
    case "category":
      return categories?.map((c) => ({ value: c, label: c })) ?? null;
    case "sentiment":
      return named(sentiments());
    case "emotion":
      return named(emotions());
    case "custom_field":
      return fields?.flatMap((f) => optionsOf(f).map((o) => ({ value: `${f.id}:${o.id}`, label: `${f.name}: ${o.value}` }))) ?? null;
    case "channel_id":
      return collections.data?.flatMap((c) => (c.channels ?? []).map((ch) => ({ value: ch.id, label: `#${ch.name}` }))) ?? null;
  }
}
