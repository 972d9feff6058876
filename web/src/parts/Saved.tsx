// Settings that are saved as you go: a change is sent when the field loses the focus,
// and a word next to its label says when it is saved.
import { t } from "@lingui/core/macro";
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
      {state === "saving" && t`Saving…`}
      {state === "saved" && (
        <>
          <IconCheck size={12} aria-hidden /> {t({ message: "Saved", context: "settings" })}
        </>
      )}
    </span>
  );
}

type Field<T> = { label: string; description?: ReactNode; field?: string; value: T; save: (value: T) => Promise<unknown>; disabled?: boolean };

/** Runs saves one after the other, so that the one sent last is the one that is kept. */
export function useInOrder(): (save: () => Promise<unknown>) => Promise<unknown> {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return (save) => {
    const mine = last.current.catch(() => {}).then(save);
    last.current = mine;
    return mine;
  };
}

/** A choice that is shown before it is saved, and reverted when it is refused. With `keepRefused` it stays, to be corrected. */
export function useDrawn<T>({ field, value, save, keepRefused = false }: { field: string | undefined; value: T; save: (value: T) => Promise<unknown>; keepRefused?: boolean }) {
  const saving = useSaving(field);
  const inOrder = useInOrder();
  const [drawn, setDrawn] = useState<{ value: T } | null>(null);
  const set = (wanted: T) => {
    const mine = { value: wanted };
    setDrawn(mine);
    void saving
      .run(() => inOrder(() => save(wanted)))
      .then((saved) => {
        // A newer choice stays until it is saved itself.
        if (saved || !keepRefused) setDrawn((now) => (now === mine ? null : now));
      });
  };
  return { saving, shown: drawn ? drawn.value : value, set };
}

/** A field that is typed into. Enter and leaving it save, Escape reverts. `read` turns the text into a value, or null if it is not valid. */
export function useTyped<D, T>({
  field,
  value,
  save,
  read,
  lines = false,
}: {
  field: string | undefined;
  value: T;
  save: (value: T) => Promise<unknown>;
  read: (typed: D) => T | null;
  lines?: boolean;
}) {
  const saving = useSaving(field);
  const inOrder = useInOrder();
  const [typed, setTyped] = useState<{ value: D } | null>(null);
  // The text that is being saved, and its value.
  const sent = useRef<{ typed: { value: D }; wanted: T } | null>(null);
  const forget = () => {
    setTyped(null);
    saving.forget();
  };
  const commit = async () => {
    if (typed === null || typed === sent.current?.typed) return; // Enter has sent it, and now the field is left
    const wanted = read(typed.value);
    if (wanted === null) return forget();
    if (wanted === sent.current?.wanted) {
      sent.current.typed = typed;
      return;
    }
    // While another value is being saved, the old one is a change, too.
    if (sent.current === null && wanted === value) return forget();
    const mine = { typed, wanted };
    sent.current = mine;
    const saved = await saving.run(() => inOrder(() => save(wanted)));
    if (sent.current === mine) sent.current = null;
    // What was typed in the meantime stays.
    if (saved) setTyped((now) => (now === mine.typed ? null : now));
  };
  return {
    saving,
    /** The content of the field. */
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
export function SavedSelect({
  label,
  description,
  field,
  value,
  save,
  disabled,
  data,
  searchable,
  placeholder,
}: Field<string | null> & { data: (ComboboxItem | string)[]; searchable?: boolean; placeholder?: string }) {
  const { saving, shown, set } = useDrawn({ field, value, save });
  return (
    <div className={classes.field}>
      <Select
        label={label}
        description={description}
        error={saving.error}
        data={data}
        value={shown}
        disabled={disabled ?? false}
        searchable={searchable ?? false}
        allowDeselect={false}
        {...(placeholder && { placeholder })}
        limit={200}
        onChange={(wanted) => {
          if (wanted !== null && wanted !== shown) set(wanted);
        }}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}

/** Yes or no. */
export function SavedSwitch({ label, description, field, value, save, disabled }: Field<boolean>) {
  const { saving, shown, set } = useDrawn({ field, value, save });
  return (
    <Group wrap="nowrap" justify="space-between" align="flex-start">
      <Switch label={label} description={description} error={saving.error} checked={shown} disabled={disabled ?? false} onChange={(e) => set(e.currentTarget.checked)} />
      <SavedMark state={saving.state} />
    </Group>
  );
}
