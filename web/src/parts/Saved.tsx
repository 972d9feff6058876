// Settings that are saved as you go: a change is sent when the field loses the focus,
// and a word next to its label says when it is saved.
import { type ComboboxItem, Group, Select, Switch, TextInput } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { Problem, sentence } from "../api/client";
import classes from "./Saved.module.css";

type State = "idle" | "saving" | "saved";

export type Saving = { state: State; error: string | null; run: (save: () => Promise<unknown>) => Promise<boolean>; forget: () => void };

/** The state of saving. `field` is the name in the API, to pick this field's own error message. */
export function useSaving(field?: string): Saving {
  const [state, setState] = useState<State>("idle");
  const [error, setError] = useState<string | null>(null);
  // With several saves running, only the last one sets the state.
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

/** The word that says that a change is saved. */
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

/** What somebody types: leaving it saves, and so does Enter; Escape takes back. `read` makes of it what is kept, or null of what cannot be. */
export function useTyped<D, T>({ field, value, save, read, lines = false }: { field: string | undefined; value: T; save: (value: T) => Promise<unknown>; read: (typed: D) => T | null; lines?: boolean }) {
  const saving = useSaving(field);
  const [typed, setTyped] = useState<{ value: D } | null>(null);
  const forget = () => {
    setTyped(null);
    saving.forget();
  };
  const commit = async () => {
    if (typed === null) return;
    const wanted = read(typed.value);
    if (wanted === null || wanted === value) forget();
    else if (await saving.run(() => save(wanted))) setTyped(null);
  };
  return {
    saving,
    /** What stands in the field. */
    shown: typed === null ? value : typed.value,
    type: (value: D) => setTyped({ value }),
    props: {
      error: saving.error,
      onBlur: () => void commit(),
      onKeyDown: (e: KeyboardEvent) => {
        if (e.key === "Enter" && !lines) void commit(); // of several lines it makes another
        if (e.key === "Escape" && typed !== null) {
          e.stopPropagation();
          forget();
        }
      },
    },
  };
}

/** A line of text. */
export function SavedText({ label, description, field, value, save, disabled, ...rest }: Field<string> & { maxLength?: number; autoComplete?: string; placeholder?: string; required?: boolean }) {
  const { saving, shown, type, props } = useTyped<string, string>({ field, value, save, read: (t) => t.trim() });
  return (
    <div className={classes.field}>
      <TextInput label={label} description={description} value={shown} disabled={disabled ?? false} withAsterisk={false} onChange={(e) => type(e.currentTarget.value)} {...props} {...rest} />
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
