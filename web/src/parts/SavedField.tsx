// Settings that are saved as you go, of whatever kind. Saved.tsx has the everyday ones.
import { NumberInput, Textarea } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import classes from "./Saved.module.css";
import { SavedMark, useSaving } from "./Saved";

/** Does one after the other: what is sent last is what is kept. */
export function useInOrder(): (save: () => Promise<unknown>) => Promise<unknown> {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return (save) => {
    const mine = last.current.catch(() => {}).then(save);
    last.current = mine;
    return mine;
  };
}

/** Draws a change at once, and takes it back with a sentence where it is refused. */
export function SavedField<T>({
  field,
  value,
  save,
  children,
}: {
  /** Its name in the API, where that tells which problem is its own. */
  field?: string;
  value: T;
  save: (value: T) => Promise<unknown>;
  children: (drawn: { value: T; set: (value: T) => void; error: string | null }) => ReactNode;
}) {
  const saving = useSaving(field);
  const inOrder = useInOrder();
  const [drawn, setDrawn] = useState<{ value: T } | null>(null);
  const latest = useRef<{ value: T } | null>(null);
  const set = (wanted: T) => {
    const mine = { value: wanted };
    latest.current = mine;
    setDrawn(mine);
    void saving.run(() => inOrder(() => save(wanted))).then(() => latest.current === mine && setDrawn(null));
  };
  return (
    <div className={classes.field}>
      {children({ value: drawn ? drawn.value : value, set, error: saving.error })}
      <SavedMark state={saving.state} />
    </div>
  );
}

/** A whole number; Enter or leaving it saves. */
export function SavedNumber({
  label,
  description,
  field,
  value,
  min,
  max,
  suffix,
  save,
}: {
  label: string;
  description?: ReactNode;
  field?: string;
  value: number;
  min: number;
  max: number;
  suffix?: string;
  save: (value: number) => Promise<unknown>;
}) {
  const saving = useSaving(field);
  const [draft, setDraft] = useState<string | number | null>(null);
  const commit = async () => {
    if (draft === null) return;
    if (typeof draft !== "number" || draft === value) {
      setDraft(null);
      saving.forget();
    } else if (await saving.run(() => save(draft))) setDraft(null);
  };
  return (
    <div className={classes.field}>
      <NumberInput
        label={label}
        description={description}
        error={saving.error}
        value={draft ?? value}
        min={min}
        max={max}
        allowDecimal={false}
        {...(suffix && { suffix })}
        styles={{ wrapper: { maxWidth: 160 } }}
        onChange={setDraft}
        onBlur={() => void commit()}
        onKeyDown={(e) => {
          if (e.key === "Enter") void commit();
          if (e.key === "Escape" && draft !== null) {
            e.stopPropagation();
            setDraft(null);
          }
        }}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}

/** Some lines of text; leaving them saves. */
export function SavedLines({ label, description, field, value, maxLength, save }: { label: string; description?: ReactNode; field?: string; value: string; maxLength: number; save: (value: string) => Promise<unknown> }) {
  const saving = useSaving(field);
  const [draft, setDraft] = useState<string | null>(null);
  const commit = async () => {
    if (draft === null) return;
    if (draft.trim() === value) setDraft(null);
    else if (await saving.run(() => save(draft.trim()))) setDraft(null);
  };
  return (
    <div className={classes.field}>
      <Textarea
        label={label}
        description={description}
        error={saving.error}
        value={draft ?? value}
        maxLength={maxLength}
        autosize
        minRows={2}
        maxRows={8}
        onChange={(e) => setDraft(e.currentTarget.value)}
        onBlur={() => void commit()}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}
