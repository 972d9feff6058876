// One filter, with what it can be set to.
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { collectionsQuery } from "../../data/collections";
import { customersQuery } from "../../data/customers";
import { teamsQuery, usersFound } from "../../data/people";
import { tagsFound } from "../../data/tags";
import { Choice, type Option } from "../../parts/Choice";
import { Face } from "../../parts/person";
import { priorityLooks, stateLooks } from "../../parts/request";
import { type Filters, unsolved, valuesOf, withValues } from "./filters";

/** Filters that are chosen from a list, and what they are called. */
export const choices = {
  state: "State",
  priority: "Priority",
  assignee_id: "Assignee",
  team_id: "Team",
  customer_id: "Customer",
  tag: "Tag",
  collection_id: "Collection",
  channel_id: "Channel",
} as const;

export type ChosenFilter = keyof typeof choices;

type Props = { name: ChosenFilter; filters: Filters; narrow: (f: Filters) => void; close: () => void };

export function FilterChoice({ name, filters, narrow, close }: Props) {
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 150);
  const options = useOptions(name, query);
  const chosen = valuesOf(filters, name);
  // The list of requests takes one collection, and one channel.
  const several = name !== "collection_id" && name !== "channel_id";
  const asked = name === "assignee_id" || name === "tag";
  const choose = (value: string) => {
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
  return <Choice opened title={choices[name]} options={waiting ? null : options} chosen={chosen} choose={choose} several={several} close={close} {...(asked && { onType: setTyped })} />;
}

const entries = <T extends string>(looks: Record<T, { label: string }>): Option[] => (Object.entries(looks) as [T, { label: string }][]).map(([value, { label }]) => ({ value, label }));

/** What can be chosen; null while it is being looked up. */
function useOptions(name: ChosenFilter, query: string): Option[] | null {
  const people = useQuery({ ...usersFound(query), enabled: name === "assignee_id", placeholderData: keepPreviousData });
  const tags = useQuery({ ...tagsFound(query), enabled: name === "tag", placeholderData: keepPreviousData });
  const teams = useQuery({ ...teamsQuery, enabled: name === "team_id" });
  const customers = useQuery({ ...customersQuery, enabled: name === "customer_id" });
  const collections = useQuery({ ...collectionsQuery, enabled: name === "collection_id" || name === "channel_id" });
  const named = (list: { id: number; name: string }[] | undefined) => list?.map((l) => ({ value: String(l.id), label: l.name }));
  const like = (o: Option) => o.label.toLowerCase().includes(query.toLowerCase());
  switch (name) {
    case "state":
      return [{ value: unsolved, label: "Unsolved" }, ...entries(stateLooks), { value: "none", label: "Not a request" }];
    case "priority":
      return entries(priorityLooks).reverse();
    case "assignee_id": {
      if (!people.data || people.isPlaceholderData) return null;
      const fixed = [
        { value: "me", label: "Me" },
        { value: "none", label: "Unassigned" },
      ];
      return [...fixed.filter(like), ...people.data.map((u) => ({ value: u.id, label: u.name, sign: <Face id={u.id} name={u.name} /> }))];
    }
    case "tag":
      return tags.isPlaceholderData ? null : (tags.data?.map((t) => ({ value: t, label: t })) ?? null);
    case "team_id":
      return teams.data ? [{ value: "none", label: "No team" }, ...(named(teams.data) ?? [])] : null;
    case "customer_id":
      return customers.data ? [{ value: "none", label: "No customer" }, ...(named(customers.data) ?? [])] : null;
    case "collection_id":
      return named(collections.data) ?? null;
    case "channel_id":
      return collections.data?.flatMap((c) => (c.channels ?? []).map((ch) => ({ value: ch.id, label: `#${ch.name}` }))) ?? null;
  }
}
