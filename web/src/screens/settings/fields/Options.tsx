import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Group, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useRef, useState } from "react";
import type { FieldOption } from "../../../data/customFields";
import { MoveButtons, moved, useKeepFocus } from "../../../parts/Order";
import classes from "./Options.module.css";

const most = 500;

// New options are told apart by this, so that one that moves stays the same on the screen.
let drafts = 0;

/** What a field offers, to be renamed, put in order, removed and added to. */
export function Options({
  options,
  change,
  renamed,
  remove,
}: {
  options: FieldOption[];
  change: (options: FieldOption[]) => void;
  /** Where a name is only taken when its box is left. */
  renamed?: () => void;
  /** Where removing has consequences to be told first. */
  remove?: (at: number) => void;
}) {
  const [fresh, setFresh] = useState("");
  const box = useRef<HTMLInputElement>(null);
  const keepFocus = useKeepFocus();
  const add = () => {
    if (fresh.trim() === "") return;
    change([...options, { draft: ++drafts, value: fresh.trim() }]);
    setFresh("");
  };
  return (
    <div className={classes.options}>
      {options.map((o, i) => {
        const number = i + 1;
        const what = o.value.trim() || t`option ${number}`;
        return (
          <Group key={o.id ?? `new ${o.draft}`} gap={4} wrap="nowrap">
            <TextInput
              aria-label={t`Option ${number}`}
              maxLength={200}
              value={o.value}
              onChange={(e) => change(options.map((other, at) => (at === i ? { ...other, value: e.currentTarget.value } : other)))}
              onBlur={() => renamed?.()}
              onKeyDown={(e) => {
                if (e.key !== "Enter") return;
                e.preventDefault(); // it would send the form
                renamed?.();
              }}
              className={classes.name}
            />
            <MoveButtons
              what={what}
              at={i}
              of={options.length}
              move={(to) => {
                keepFocus();
                change(moved(options, i, to));
              }}
            />
            <ActionIcon aria-label={t`Remove ${what}`} onClick={() => (remove ? remove(i) : change(options.filter((_, at) => at !== i)))}>
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        );
      })}
      {options.length < most && (
        <Group gap={4} wrap="nowrap">
          <TextInput
            ref={box}
            aria-label={t`New option`}
            placeholder={t`New option`}
            maxLength={200}
            value={fresh}
            onChange={(e) => setFresh(e.currentTarget.value)}
            onBlur={add} // what was typed is meant, whatever is pressed next
            onKeyDown={(e) => {
              if (e.key !== "Enter") return;
              e.preventDefault(); // it would send the form
              add();
            }}
            className={classes.name}
          />
          <Button variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={() => box.current?.focus()}>
            {t`Add option`}
          </Button>
        </Group>
      )}
    </div>
  );
}
