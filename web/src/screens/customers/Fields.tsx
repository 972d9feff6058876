import { plural, t } from "@lingui/core/macro";
import { MultiSelect, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type CustomField, customerFieldsQuery } from "../../data/customer";
import type { Customer } from "../../data/customers";
import { SavedMark, useDrawn, useTyped } from "../../parts/Saved";
import classes from "./Customers.module.css";
import type { Save } from "./Owner";
import { PersonSelect } from "./PersonSelect";

type FieldValue = string | number | string[] | null;

/** What the account itself wants to know of its customers. */
export function Fields({ customer, save }: { customer: Customer; save: Save }) {
  const fields = useQuery(customerFieldsQuery).data ?? [];
  return fields.map((f) => (
    <Field key={f.id} field={f} value={(customer.custom_field_values[String(f.id)] ?? null) as FieldValue} save={(v) => save({ custom_field_values: { [String(f.id)]: v } })} />
  ));
}

type Props = { field: CustomField; value: FieldValue; save: (v: FieldValue) => Promise<unknown> };

function Field(props: Props) {
  return ["text", "number", "date"].includes(props.field.config.type) ? <Typed {...props} /> : <Chosen {...props} />;
}

const fieldName = (field: CustomField) => `custom_field_values.${field.id}`;

function Chosen({ field, value, save }: Props) {
  const { saving, shown, set: keep } = useDrawn<FieldValue>({ field: fieldName(field), value, save });
  const shared = { label: field.name, ...(field.description && { description: field.description }), error: saving.error };
  const files = Array.isArray(shown) ? shown.length : 0;
  let input: ReactNode = null;
  switch (field.config.type) {
    case "select":
      input = (
        <Select
          {...shared}
          clearable
          searchable
          placeholder={t({ message: "None", context: "value" })}
          data={field.config.options.map((o) => ({ value: o.id, label: o.value }))}
          value={shown === null ? null : String(shown)}
          onChange={keep}
        />
      );
      break;
    case "multi_select": {
      const several = Array.isArray(shown) ? shown.map(String) : [];
      input = (
        <MultiSelect
          {...shared}
          searchable
          placeholder={several.length === 0 ? t({ message: "None", context: "value" }) : ""}
          data={field.config.options.map((o) => ({ value: o.id, label: o.value }))}
          value={several}
          onChange={(v) => keep(v.length === 0 ? null : v)}
        />
      );
      break;
    }
    case "user_select":
      input = <PersonSelect {...shared} value={shown === null ? null : String(shown)} onChange={keep} />;
      break;
    case "attachment":
      input = (
        <div>
          <strong>{field.name}</strong>
          <div className={classes.faint}>{files > 0 ? plural(files, { one: "# file", other: "# files" }) : t`No files`}</div>
        </div>
      );
      break;
  }
  return (
    <div className={classes.field}>
      {input}
      <SavedMark state={saving.state} />
    </div>
  );
}

/** A text, a number or a date: saved when the field is left, not with each letter. */
function Typed({ field, value, save }: Props) {
  const read = (text: string) => {
    if (text.trim() === "" || field.config.type !== "number") return text.trim();
    return Number.isNaN(Number(text)) ? null : Number(text);
  };
  // An empty field is null in the API, where useTyped takes null for text that is not valid.
  const { saving, shown, type, props } = useTyped<string, string | number>({
    field: fieldName(field),
    value: typeof value === "number" ? value : String(value ?? ""),
    save: (v) => save(v === "" ? null : v),
    read,
    lines: field.config.type === "text" && !field.config.single_line,
  });
  const shared = { label: field.name, ...(field.description && { description: field.description }), value: shown, ...props };
  let input: ReactNode;
  if (field.config.type === "number") input = <NumberInput {...shared} hideControls onChange={(v) => type(String(v))} />;
  else if (field.config.type === "date") input = <TextInput {...shared} type="date" onChange={(e) => type(e.currentTarget.value)} />;
  else if (field.config.type === "text" && !field.config.single_line)
    input = <Textarea {...shared} autosize minRows={2} maxRows={8} maxLength={field.config.max_length} onChange={(e) => type(e.currentTarget.value)} />;
  else input = <TextInput {...shared} {...(field.config.type === "text" && { maxLength: field.config.max_length })} onChange={(e) => type(e.currentTarget.value)} />;
  return (
    <div className={classes.field}>
      {input}
      <SavedMark state={saving.state} />
    </div>
  );
}
