import { t } from "@lingui/core/macro";
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useUser, usersFound } from "../../data/people";

/** Somebody of the chat system, found by typing: there may be thousands. */
export function PersonSelect({
  label,
  description,
  value,
  onChange,
  error,
  placeholder,
}: {
  label: string;
  description?: ReactNode;
  value: string | null;
  onChange: (id: string | null) => void;
  error?: ReactNode;
  placeholder?: string;
}) {
  const [typed, setTyped] = useState("");
  const chosen = useUser(value);
  const [query] = useDebouncedValue(typed === chosen?.name ? "" : typed, 200);
  const found = useQuery(usersFound(query)).data ?? [];
  const people = new Map(found.map((u) => [u.id, u.email ? `${u.name} (${u.email})` : u.name]));
  if (value !== null) people.set(value, chosen?.name ?? "…");
  return (
    <Select
      label={label}
      description={description}
      placeholder={placeholder ?? t({ message: "None", context: "person" })}
      clearable
      searchable
      // The server has searched, by name and by email.
      filter={({ options }) => options}
      nothingFoundMessage={t`No one found`}
      data={[...people].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      error={error}
    />
  );
}
