import { Pill, TagsInput, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { tagsFound } from "../../../data/tags";
import { choiceAt } from "../../../parts/Choice";
import { Part, type PartProps } from "./rows";

const most = 50;

/** Words by which requests are found again. */
export function Tags({ request, mayChange, change }: PartProps) {
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 150);
  const found = useQuery({ ...tagsFound(query), enabled: mayChange, placeholderData: keepPreviousData }).data ?? [];
  if (!mayChange)
    return (
      <Part title="Tags">
        {request.tags.length === 0 ? (
          <Text c="dimmed" size="sm">
            None
          </Text>
        ) : (
          <Pill.Group>
            {request.tags.map((t) => (
              <Pill key={t}>{t}</Pill>
            ))}
          </Pill.Group>
        )}
      </Part>
    );
  return (
    <Part title="Tags">
      <TagsInput
        {...choiceAt("tags")}
        size="xs"
        aria-label="Tags"
        placeholder={request.tags.length === 0 ? "Add tag" : ""}
        maxTags={most}
        value={request.tags}
        onChange={(tags) => change({ tags })}
        searchValue={typed}
        onSearchChange={(t) => setTyped(t.slice(0, 100))}
        data={found}
        acceptValueOnBlur={false}
        comboboxProps={{ shadow: "md" }}
      />
    </Part>
  );
}
