// Settings that are saved as you go, of whatever kind. Saved.tsx has the everyday ones.
import { NumberInput, Textarea } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Saved.module.css";
import { SavedMark, useDrawn, useTyped } from "./Saved";

/** Shows a change immediately, and reverts it with an error message when it is refused. */
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
  const { saving, shown, set } = useDrawn({ field, value, save });
  return (
    <div className={classes.field}>
      {children({ value: shown, set, error: saving.error })}
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
  const { saving, shown, type, props } = useTyped<string | number, number>({ field, value, save, read: (t) => (typeof t === "number" ? t : null) });
  return (
    <div className={classes.field}>
      <NumberInput
        label={label}
        description={description}
        value={shown}
        min={min}
        max={max}
        allowDecimal={false}
        {...(suffix && { suffix })}
        styles={{ wrapper: { maxWidth: 160 } }}
        onChange={type}
        {...props}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}

/** Some lines of text; leaving them saves. */
export function SavedLines({
  label,
  description,
  field,
  value,
  maxLength,
  save,
}: {
  label: string;
  description?: ReactNode;
  field?: string;
  value: string;
  maxLength: number;
  save: (value: string) => Promise<unknown>;
}) {
  const { saving, shown, type, props } = useTyped<string, string>({ field, value, save, read: (t) => t.trim(), lines: true });
  return (
    <div className={classes.field}>
      <Textarea label={label} description={description} value={shown} maxLength={maxLength} autosize minRows={2} maxRows={8} onChange={(e) => type(e.currentTarget.value)} {...props} />
      <SavedMark state={saving.state} />
    </div>
  );
}
