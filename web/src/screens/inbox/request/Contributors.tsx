import { t } from "@lingui/core/macro";
import { ActionIcon, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useUser, usersFound } from "../../../data/people";
import { Choice, choiceAt } from "../../../parts/Choice";
import { Face } from "../../../parts/Face";
import { Person } from "../../../parts/person";
import classes from "./Panel.module.css";
import { Part, type PartProps } from "./rows";

/** Who else takes part. */
export function Contributors({ request, mayChange, change }: PartProps) {
  const [adding, setAdding] = useState(false);
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 150);
  const found = useQuery({ ...usersFound(query), enabled: adding });
  const those = request.contributors;
  const set = (id: string) => change({ contributors: those.includes(id) ? those.filter((c) => c !== id) : [...those, id] });
  if (those.length === 0 && !mayChange) return null;
  return (
    <Part
      title={t`Contributors`}
      action={
        mayChange && (
          <ActionIcon size="sm" aria-label={t`Add contributor`} {...choiceAt("contributors")} onClick={() => setAdding(true)}>
            <IconPlus size={14} aria-hidden />
          </ActionIcon>
        )
      }
    >
      {those.length === 0 && (
        <Text c="dimmed" size="sm">
          {t`None`}
        </Text>
      )}
      <ul className={classes.plainList}>
        {those.map((id) => (
          <li key={id} className={classes.listed}>
            <Person id={id} />
            {mayChange && <Remove id={id} run={() => set(id)} />}
          </li>
        ))}
      </ul>
      <Choice
        opened={adding}
        at={["contributors"]}
        close={() => setAdding(false)}
        title={t`Contributors`}
        several
        chosen={those}
        choose={set}
        onType={setTyped}
        options={query === typed.trim() && found.data ? found.data.map((u) => ({ value: u.id, label: u.name, sign: <Face id={u.id} name={u.name} /> })) : null}
      />
    </Part>
  );
}

function Remove({ id, run }: { id: string; run: () => void }) {
  const name = useUser(id)?.name ?? "…";
  return (
    <ActionIcon size="sm" aria-label={t`Remove ${name}`} onClick={run}>
      <IconX size={12} aria-hidden />
    </ActionIcon>
  );
}
