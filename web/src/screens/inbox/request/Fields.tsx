import { plural, t } from "@lingui/core/macro";
import { Button, MultiSelect, NumberInput, Select, Text, TextInput, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { type CustomField, type FieldValue, optionsOf, customFieldsQuery, valueInWords } from "../../../data/customFields";
import { changeRequest } from "../../../data/requests";
import { Person, PersonSelect } from "../../../parts/person";
import { useTyped } from "../../../parts/Saved";
import classes from "./Panel.module.css";
import { None, Part, type PartProps, Row } from "./rows";

/** The account's own fields, each by its kind. */
export function Fields({ request, mayChange, change }: PartProps) {
  const client = useQueryClient();
  const fields = useQuery(customFieldsQuery("request")).data ?? [];
  const given = (f: CustomField, value: FieldValue | null) => ({ custom_field_values: { [String(f.id)]: value as never } });
  const valueOf = (f: CustomField) => request.custom_field_values[String(f.id)] ?? null;
  const { shown, search, more } = useFew(fields, (f) => isEmpty(valueOf(f)));
  if (fields.length === 0) return null;
  return (
    <Part title={t`Fields`}>
      {search}
      {shown.map((f) => {
        const value = valueOf(f);
        return (
          <Row key={f.id} name={f.name} hint={f.description}>
            {!mayChange || f.type === "attachment" ? (
              <Value field={f} value={value} />
            ) : f.type === "text" || f.type === "number" ? (
              <Typed field={f} value={value} save={(v) => changeRequest(client, request.id, given(f, v))} />
            ) : (
              <Field field={f} value={value} set={(v) => change(given(f, v))} />
            )}
          </Row>
        );
      })}
      {more}
    </Part>
  );
}

// From so many fields on, nobody finds one by looking through them all.
const many = 10;

/** Of many fields, those that are searched for; without a search, those with a value, and the empty ones on demand. */
function useFew(fields: CustomField[], empty: (f: CustomField) => boolean): { shown: CustomField[]; search: ReactNode; more: ReactNode } {
  const [typed, setTyped] = useState("");
  const [all, setAll] = useState(false);
  // A field that has been emptied stays while somebody may still be at it.
  const seen = useRef(new Set<number>());
  if (fields.length < many) return { shown: fields, search: null, more: null };
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = fields.filter((f) => words.every((w) => f.name.toLowerCase().includes(w)));
  for (const f of fields) if (!empty(f)) seen.current.add(f.id);
  const shown = words.length > 0 || all ? found : fields.filter((f) => seen.current.has(f.id));
  const hidden = fields.filter((f) => !seen.current.has(f.id)).length;
  return {
    shown,
    search: <TextInput type="search" size="xs" mb={6} aria-label={t`Find a field`} placeholder={t`Find a field`} value={typed} onChange={(e) => setTyped(e.currentTarget.value)} />,
    more:
      words.length > 0
        ? found.length === 0 && (
            <Text c="dimmed" size="sm" role="status">
              {t`No field with this name.`}
            </Text>
          )
        : hidden > 0 && (
            <Button variant="subtle" size="compact-xs" onClick={() => setAll(!all)} aria-expanded={all}>
              {all ? t`Hide empty fields` : t`${plural(hidden, { one: "# empty field", other: "# empty fields" })}`}
            </Button>
          ),
  };
}

const isEmpty = (value: FieldValue | null) => value === null || value === "" || (Array.isArray(value) && value.length === 0);

function Value({ field, value }: { field: CustomField; value: FieldValue | null }) {
  if (value === null || isEmpty(value)) return <None />;
  if (field.type === "user_select") return <Person id={String(value)} />;
  if (field.type === "attachment" && Array.isArray(value))
    return (
      <span>
        {value.map((id, i) => {
          const number = i + 1;
          return (
            <a key={id} className={classes.link} href={`/v1/rest/attachments/${id}`} download>
              {t`File ${number}`}{" "}
            </a>
          );
        })}
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
    <Text size="sm" dir="auto" style={{ overflowWrap: "anywhere" }}>
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

/** What changes a field's value with each choice and each letter. */
export function Field({ field, value, set, boxed = false }: FieldProps) {
  const common = look(field, boxed);
  const offered = optionsOf(field).map((o) => ({ value: o.id, label: o.value }));
  switch (field.type) {
    case "select":
      return (
        <Select
          {...common}
          clearable
          clearSectionMode="clear"
          searchable
          data={offered}
          value={typeof value === "string" ? value : null}
          onChange={set}
          comboboxProps={{ shadow: "md", width: 220, position: "bottom-end" }}
        />
      );
    case "multi_select":
      return (
        <MultiSelect
          {...common}
          clearable
          clearSectionMode="clear"
          searchable
          data={offered}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(v) => set(v.length === 0 ? null : v)}
          comboboxProps={{ shadow: "md", width: 220, position: "bottom-end" }}
        />
      );
    case "user_select":
      return <PersonSelect {...common} value={typeof value === "string" ? value : null} onChange={set} />;
    case "number":
      // It keeps its text itself: a minus sign is not a number yet.
      return <NumberInput {...common} hideControls onChange={(v) => set(typeof v === "number" ? v : null)} />;
    case "date":
      return <TextInput {...common} type="date" value={typeof value === "string" ? value.slice(0, 10) : ""} onChange={(e) => set(e.currentTarget.value || null)} />;
    default:
      return <TextBox field={field} boxed={boxed} value={String(value ?? "")} type={(text) => set(text || null)} />;
  }
}

function look(field: CustomField, boxed: boolean) {
  if (boxed) return { size: "sm", "aria-label": field.name } as const;
  return { size: "xs", "aria-label": field.name, placeholder: "–", classNames: { input: classes.control! } } as const;
}

const hasLines = (field: CustomField) => "single_line" in field.config && field.config.single_line === false;

type TextBoxProps = {
  field: CustomField;
  boxed: boolean;
  value: string;
  type: (text: string) => void;
  error?: string | null;
  onBlur?: () => void;
  onKeyDown?: (e: KeyboardEvent<HTMLElement>) => void;
};

/** One line of text, or several where the field allows them. */
function TextBox({ field, boxed, type, ...rest }: TextBoxProps) {
  const maxLength = ("max_length" in field.config && field.config.max_length) || 255;
  const props = { ...look(field, boxed), maxLength, onChange: (e: { currentTarget: { value: string } }) => type(e.currentTarget.value), ...rest };
  return hasLines(field) ? <Textarea {...props} autosize minRows={1} maxRows={6} /> : <TextInput {...props} />;
}

/** A text or a number in the panel: saved when the field is left, not with each letter. What is refused stays, with the reason. */
function Typed({ field, value, save }: { field: CustomField; value: FieldValue | null; save: (value: FieldValue | null) => Promise<unknown> }) {
  const lines = hasLines(field);
  // An empty field is null in the API, where useTyped takes null for text that is not valid.
  const { shown, type, props } = useTyped<string, string | number>({
    field: `custom_field_values.${field.id}`,
    value: typeof value === "number" ? value : String(value ?? ""),
    save: (v) => save(v === "" ? null : v),
    read: (text) => (field.type !== "number" || text === "" ? text.trim() : Number.isNaN(Number(text)) ? null : Number(text)),
    lines,
  });
  const onKeyDown = (e: KeyboardEvent<HTMLElement>) => {
    if (e.key === "Enter" && !lines)
      e.currentTarget.blur(); // leaving it saves
    else props.onKeyDown(e);
  };
  if (field.type === "number") return <NumberInput {...look(field, false)} hideControls value={shown} onChange={(v) => type(String(v))} {...props} onKeyDown={onKeyDown} />;
  return <TextBox field={field} boxed={false} value={String(shown)} type={type} {...props} onKeyDown={onKeyDown} />;
}
