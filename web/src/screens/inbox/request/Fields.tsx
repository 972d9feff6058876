import { MultiSelect, NumberInput, Select, Text, TextInput, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type CustomField, type FieldValue, optionsOf, customFieldsQuery, valueInWords } from "../../../data/customFields";
import { Person, PersonSelect } from "../../../parts/person";
import classes from "./Panel.module.css";
import { None, Part, type PartProps, Row } from "./rows";

/** The account's own fields, each by its kind. */
export function Fields({ request, mayChange, change }: PartProps) {
  const fields = useQuery(customFieldsQuery("request")).data ?? [];
  if (fields.length === 0) return null;
  return (
    <Part title="Fields">
      {fields.map((f) => {
        const value = request.custom_field_values[String(f.id)] ?? null;
        return (
          <Row key={f.id} name={f.name} hint={f.description}>
            {mayChange && f.type !== "attachment" ? <Field field={f} value={value} set={(v) => change({ custom_field_values: { [String(f.id)]: v as never } })} /> : <Value field={f} value={value} />}
          </Row>
        );
      })}
    </Part>
  );
}

function Value({ field, value }: { field: CustomField; value: FieldValue | null }) {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return <None />;
  if (field.type === "user_select") return <Person id={String(value)} />;
  if (field.type === "attachment" && Array.isArray(value))
    return (
      <span>
        {value.map((id, i) => (
          <a key={id} className={classes.link} href={`/v1/rest/attachments/${id}`} download>
            File {i + 1}{" "}
          </a>
        ))}
      </span>
    );
  const words = valueInWords(field, value);
  if (/^https?:\/\/\S+$/.test(words))
    return (
      <a className={classes.link} href={words} target="_blank" rel="noopener noreferrer">
        {words}
      </a>
    );
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere" }}>
      {words}
    </Text>
  );
}

type FieldProps = {
  field: CustomField;
  value: FieldValue | null;
  set: (value: FieldValue | null) => void;
  /** With a box around it, as forms have; in the panel it has one only while somebody is at it. */
  boxed?: boolean;
};

/** What changes a field's value; a form for tickets has the same. */
export function Field(props: FieldProps) {
  const { field, value, set } = props;
  const common = look(props);
  const offered = optionsOf(field).map((o) => ({ value: o.id, label: o.value }));
  switch (field.type) {
    case "select":
      return <Select {...common} clearable clearSectionMode="clear" searchable data={offered} value={typeof value === "string" ? value : null} onChange={set} comboboxProps={{ shadow: "md", width: 220, position: "bottom-end" }} />;
    case "multi_select":
      return <MultiSelect {...common} clearable clearSectionMode="clear" searchable data={offered} value={Array.isArray(value) ? value.map(String) : []} onChange={(v) => set(v.length === 0 ? null : v)} comboboxProps={{ shadow: "md", width: 220, position: "bottom-end" }} />;
    case "user_select":
      return <PersonSelect {...common} value={typeof value === "string" ? value : null} onChange={set} />;
    case "number":
      return <TypedNumber {...props} />;
    case "date":
      return <TextInput {...common} type="date" value={typeof value === "string" ? value.slice(0, 10) : ""} onChange={(e) => set(e.currentTarget.value || null)} />;
    default:
      return <TypedText {...props} />;
  }
}

function look({ field, boxed }: FieldProps) {
  if (boxed) return { size: "sm", "aria-label": field.name } as const;
  return { size: "xs", "aria-label": field.name, placeholder: "–", classNames: { input: classes.control! } } as const;
}

/** Text is kept when somebody is done with it, not with each letter. */
function TypedText(given: FieldProps) {
  const { field, value, set } = given;
  const kept = value === null ? "" : String(value);
  const [typed, setTyped] = useState<string | null>(null);
  const save = () => {
    if (typed !== null && typed.trim() !== kept) set(typed.trim() === "" ? null : typed.trim());
    setTyped(null);
  };
  const config = field.config as { max_length?: number; single_line?: boolean };
  const props = {
    ...look(given),
    maxLength: config.max_length ?? 255,
    value: typed ?? kept,
    onChange: (e: { currentTarget: { value: string } }) => setTyped(e.currentTarget.value),
    onBlur: save,
  } as const;
  if (config.single_line === false) return <Textarea {...props} autosize minRows={1} maxRows={6} />;
  return (
    <TextInput
      {...props}
      onKeyDown={(e) => {
        if (e.key === "Enter") e.currentTarget.blur();
      }}
    />
  );
}

function TypedNumber(given: FieldProps) {
  const { value, set } = given;
  const [typed, setTyped] = useState<string | number | null>(null);
  const save = () => {
    if (typed !== null && typed !== value) set(typed === "" ? null : Number(typed));
    setTyped(null);
  };
  return (
    <NumberInput
      {...look(given)}
      hideControls
      value={typed ?? (typeof value === "number" ? value : "")}
      onChange={setTyped}
      onBlur={save}
      onKeyDown={(e) => {
        if (e.key === "Enter") e.currentTarget.blur();
      }}
    />
  );
}
