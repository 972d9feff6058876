// Settings that are saved as you go: what is changed is sent when the field is left,
// and a word beside its name says when it is kept.
import { type ComboboxItem, Group, Select, Switch, TextInput } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { type ReactNode, useRef, useState } from "react";
import { Problem, sentence } from "../api/client";
import classes from "./Saved.module.css";

type State = "idle" | "saving" | "saved";

export type Saving = { state: State; error: string | null; run: (save: () => Promise<unknown>) => Promise<boolean>; forget: () => void };

/** How saving goes. `field` is its name in the API, to tell its own problem from the others'. */
export function useSaving(field?: string): Saving {
  const [state, setState] = useState<State>("idle");
  const [error, setError] = useState<string | null>(null);
  // Only the last of several has a say.
  const latest = useRef(0);
  const run = async (save: () => Promise<unknown>) => {
    const mine = ++latest.current;
    setState("saving");
    setError(null);
    try {
      await save();
      if (mine === latest.current) setState("saved");
      return true;
    } catch (e) {
      if (mine === latest.current) {
        setState("idle");
        setError((e instanceof Problem && field && e.fields[field]) || sentence(e));
      }
      return false;
    }
  };
  return { state, error, run, forget: () => setError(null) };
}

/** The word that says that a change is kept. */
export function SavedMark({ state }: { state: State }) {
  return (
    <span role="status" className={classes.mark} data-state={state}>
      {state === "saving" && "Saving…"}
      {state === "saved" && (
        <>
          <IconCheck size={12} aria-hidden /> Saved
        </>
      )}
    </span>
  );
}

type Field<T> = { label: string; description?: ReactNode; field?: string; value: T; save: (value: T) => Promise<unknown>; disabled?: boolean };

/** A line of text; Enter or leaving it saves, Escape takes back. */
export function SavedText({ label, description, field, value, save, disabled, ...rest }: Field<string> & { maxLength?: number; autoComplete?: string; placeholder?: string; required?: boolean }) {
  const saving = useSaving(field);
  const [draft, setDraft] = useState<string | null>(null);
  const commit = async () => {
    if (draft === null) return;
    const wanted = draft.trim();
    if (wanted === value) {
      setDraft(null);
      saving.forget();
    } else if (await saving.run(() => save(wanted))) setDraft(null);
  };
  return (
    <div className={classes.field}>
      <TextInput
        label={label}
        description={description}
        error={saving.error}
        value={draft ?? value}
        disabled={disabled ?? false}
        withAsterisk={false}
        onChange={(e) => setDraft(e.currentTarget.value)}
        onBlur={() => void commit()}
        onKeyDown={(e) => {
          if (e.key === "Enter") void commit();
          if (e.key === "Escape" && draft !== null) {
            e.stopPropagation();
            setDraft(null);
            saving.forget();
          }
        }}
        {...rest}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}

/** One of several. */
export function SavedSelect({ label, description, field, value, save, disabled, data, searchable, placeholder }: Field<string | null> & { data: (ComboboxItem | string)[]; searchable?: boolean; placeholder?: string }) {
  const saving = useSaving(field);
  const [drawn, setDrawn] = useState<string | null>(null);
  return (
    <div className={classes.field}>
      <Select
        label={label}
        description={description}
        error={saving.error}
        data={data}
        value={drawn ?? value}
        disabled={disabled ?? false}
        searchable={searchable ?? false}
        allowDeselect={false}
        {...(placeholder && { placeholder })}
        limit={200}
        onChange={(wanted) => {
          if (wanted === null || wanted === value) return;
          setDrawn(wanted);
          void saving.run(() => save(wanted)).then(() => setDrawn(null));
        }}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}

/** Yes or no. */
export function SavedSwitch({ label, description, field, value, save, disabled }: Field<boolean>) {
  const saving = useSaving(field);
  const [drawn, setDrawn] = useState<boolean | null>(null);
  return (
    <Group wrap="nowrap" justify="space-between" align="flex-start">
      <Switch
        label={label}
        description={description}
        error={saving.error}
        checked={drawn ?? value}
        disabled={disabled ?? false}
        onChange={(e) => {
          const wanted = e.currentTarget.checked;
          setDrawn(wanted);
          void saving.run(() => save(wanted)).then(() => setDrawn(null));
        }}
      />
      <SavedMark state={saving.state} />
    </Group>
  );
}
