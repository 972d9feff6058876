import { t } from "@lingui/core/macro";
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
      <Part title={t`Tags`}>
        {request.tags.length === 0 ? (
          <Text c="dimmed" size="sm">
            {t`None`}
          </Text>
        ) : (
          <Pill.Group>
            {request.tags.map((tag) => (
              <Pill key={tag}>{tag}</Pill>
            ))}
          </Pill.Group>
        )}
      </Part>
    );
  return (
    <Part title={t`Tags`}>
      <TagsInput
        {...choiceAt("tags")}
        size="xs"
        aria-label={t`Tags`}
        placeholder={request.tags.length === 0 ? t`Add tag` : ""}
        maxTags={most}
        value={request.tags}
        onChange={(tags) => change({ tags })}
        searchValue={typed}
        onSearchChange={(text) => setTyped(text.slice(0, 100))}
        data={found}
        acceptValueOnBlur={false}
        comboboxProps={{ shadow: "md" }}
      />
    </Part>
  );
}
