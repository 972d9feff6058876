// People of the chat system: how they are shown, and how one is chosen.
import { t } from "@lingui/core/macro";
import { Group, Select, type SelectProps, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useUser, usersFound } from "../data/people";
import { Face } from "./Face";

/** Somebody by their id, with their picture. */
export function Person({ id, size = 20 }: { id: string | null; size?: number }) {
  const user = useUser(id);
  if (id === null) return <Text c="dimmed">–</Text>;
  return (
    <Group gap={6} wrap="nowrap" component="span">
      <Face id={id} size={size} />
      <Text span size="sm" truncate dir="auto">
        {user?.name ?? "…"}
      </Text>
    </Group>
  );
}

type PersonSelectProps = Omit<SelectProps, "data" | "value" | "onChange"> & {
  value: string | null;
  onChange: (id: string | null) => void;
};

/** Chooses somebody by typing the beginning of a name or an email. */
export function PersonSelect({ value, onChange, ...props }: PersonSelectProps) {
  const [typed, setTyped] = useState("");
  const chosen = useUser(value);
  // What stands in the box of somebody chosen is their name, and not a search.
  const searched = typed === chosen?.name ? "" : typed;
  const [query] = useDebouncedValue(searched.trim(), 150);
  const found = useQuery({ ...usersFound(query), placeholderData: keepPreviousData });
  const people = found.data ?? [];
  const data = people.map((u) => ({ value: u.id, label: u.name }));
  if (chosen && !people.some((u) => u.id === chosen.id)) data.unshift({ value: chosen.id, label: chosen.name });
  return (
    <Select
      searchable
      clearable
      placeholder={t({ message: "None", context: "person" })}
      nothingFoundMessage={found.isFetching ? t`Searching…` : t`No one found`}
      {...props}
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      data={data}
      filter={({ options }) => options} // the server has searched
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap">
          <Face id={option.value} name={option.label} />
          <Text size="sm">{option.label}</Text>
        </Group>
      )}
    />
  );
}
