import { MultiSelect, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type CustomField, customerFieldsQuery } from "../../data/customer";
import type { Customer } from "../../data/customers";
import { SavedMark, type Saving, useSaving } from "../../parts/Saved";
import classes from "./Customers.module.css";
import type { Save } from "./Owner";
import { PersonSelect } from "./PersonSelect";

type FieldValue = string | number | string[] | null;

/** What the account itself wants to know of its customers. */
export function Fields({ customer, save }: { customer: Customer; save: Save }) {
  const fields = useQuery(customerFieldsQuery).data ?? [];
  return fields.map((f) => <Field key={f.id} field={f} value={(customer.custom_field_values[String(f.id)] ?? null) as FieldValue} save={(v) => save({ custom_field_values: { [String(f.id)]: v } })} />);
}

type Props = { field: CustomField; value: FieldValue; save: (v: FieldValue) => Promise<unknown> };

function Field({ field, value, save }: Props) {
  const saving = useSaving(`custom_field_values.${field.id}`);
  // What is chosen is drawn at once, and taken back where it is refused.
  const [drawn, setDrawn] = useState<{ value: FieldValue } | null>(null);
  const shown = drawn ? drawn.value : value;
  const keep = (v: FieldValue) => {
    setDrawn({ value: v });
    void saving.run(() => save(v)).then(() => setDrawn(null));
  };
  const shared = { label: field.name, ...(field.description && { description: field.description }), error: saving.error };
  let input: ReactNode;
  switch (field.config.type) {
    case "select":
      input = <Select {...shared} clearable searchable placeholder="None" data={field.config.options.map((o) => ({ value: o.id, label: o.value }))} value={shown === null ? null : String(shown)} onChange={keep} />;
      break;
    case "multi_select": {
      const several = Array.isArray(shown) ? shown.map(String) : [];
      input = <MultiSelect {...shared} searchable placeholder={several.length === 0 ? "None" : ""} data={field.config.options.map((o) => ({ value: o.id, label: o.value }))} value={several} onChange={(v) => keep(v.length === 0 ? null : v)} />;
      break;
    }
    case "user_select":
      input = <PersonSelect {...shared} value={shown === null ? null : String(shown)} onChange={keep} />;
      break;
    case "attachment":
      input = (
        <div>
          <strong>{field.name}</strong>
          <div className={classes.faint}>{Array.isArray(shown) && shown.length > 0 ? `${shown.length} files` : "No files"}</div>
        </div>
      );
      break;
    default:
      input = <Typed field={field} value={value} save={save} saving={saving} />;
  }
  return (
    <div className={classes.field}>
      {input}
      <SavedMark state={saving.state} />
    </div>
  );
}

/** A text, a number or a day: kept when the field is left, not with each letter. */
function Typed({ field, value, save, saving }: Props & { saving: Saving }) {
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft ?? (value === null ? "" : String(value));
  const commit = () => {
    if (draft === null) return;
    const wanted = draft.trim() === "" ? null : field.config.type === "number" ? Number(draft) : draft.trim();
    if (wanted === value) setDraft(null);
    else void saving.run(() => save(wanted)).then((kept) => kept && setDraft(null));
  };
  const shared = { label: field.name, ...(field.description && { description: field.description }), error: saving.error, value: text, onBlur: commit };
  const onEnter = (e: { key: string }) => {
    if (e.key === "Enter") commit();
  };
  switch (field.config.type) {
    case "number":
      return <NumberInput {...shared} hideControls onChange={(v) => setDraft(String(v))} onKeyDown={onEnter} />;
    case "date":
      return <TextInput {...shared} type="date" onChange={(e) => setDraft(e.currentTarget.value)} onKeyDown={onEnter} />;
    case "text":
      if (!field.config.single_line) return <Textarea {...shared} autosize minRows={2} maxRows={8} maxLength={field.config.max_length} onChange={(e) => setDraft(e.currentTarget.value)} />;
      return <TextInput {...shared} maxLength={field.config.max_length} onChange={(e) => setDraft(e.currentTarget.value)} onKeyDown={onEnter} />;
    default:
      return null;
  }
}
