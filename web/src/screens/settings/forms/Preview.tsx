import { t } from "@lingui/core/macro";
import { Button, FileInput, MultiSelect, NumberInput, SegmentedControl, Select, Stack, Text, TextInput, Textarea, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type CustomField, optionsOf } from "../../../data/customFields";
import { teamsQuery } from "../../../data/people";
import type { FormField } from "../../../data/ticketForms";
import { PersonSelect } from "../../../parts/person";
import { priorityLooks, stateLooks } from "../../../parts/request";
import classes from "./Builder.module.css";
import { type Audience, isRequiredOf, isShownTo, newField, ownField } from "./words";

/** The form as somebody fills it in. It can be tried; nothing is sent. */
export function Preview({ name, description, fields, customFields }: { name: string; description: string; fields: FormField[]; customFields: CustomField[] }) {
  const [audience, setAudience] = useState<Audience>("requesters");
  const shown = fields.filter((f) => isShownTo(audience, f) && (Number.isNaN(Number(f.key)) || ownField(f.key, customFields)));
  // Every ticket has a description, whatever the form says.
  const asked = shown.some((f) => f.key === "description") ? shown : [...shown, newField("description", customFields)];
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t`Preview as`}
        size="xs"
        value={audience}
        onChange={(a) => setAudience(a as Audience)}
        data={[
          { value: "requesters", label: t`Requester view` },
          { value: "responders", label: t`Responder view` },
        ]}
      />
      <div className={classes.paper} role="group" aria-label={t`Preview`}>
        <Title order={2}>{name}</Title>
        {description && (
          <Text c="dimmed" size="sm" mt={4} style={{ whiteSpace: "pre-line", overflowWrap: "anywhere" }}>
            {description}
          </Text>
        )}
        <Stack gap="sm" mt="md">
          {asked.map((f) => (
            <Asked key={`${audience} ${f.key}`} field={f} required={isRequiredOf(audience, f)} own={ownField(f.key, customFields)} />
          ))}
          <div>
            <Button aria-disabled data-disabled>
              {t`Create ticket`}
            </Button>
          </div>
        </Stack>
      </div>
      <Text size="xs" c="dimmed">
        {t`This is a preview. Nothing is sent. Required fields are marked with a star.`}
      </Text>
    </Stack>
  );
}

const named = (looks: Record<string, { label: string }>) => Object.entries(looks).map(([value, { label }]) => ({ value, label }));

/** One thing that the form asks for, as its kind is filled in. */
function Asked({ field, required, own }: { field: FormField; required: boolean; own: CustomField | undefined }) {
  const teams = useQuery({ ...teamsQuery, enabled: field.key === "assigned_team" }).data ?? [];
  const [person, setPerson] = useState<string | null>(null);
  const label = { label: field.label, required, withAsterisk: required, ...(own?.description && { description: own.description }) };
  const begins = own?.config.default_value;
  switch (field.key) {
    case "title":
      return <TextInput {...label} />;
    case "description":
      return <Textarea {...label} autosize minRows={3} />;
    case "priority":
      return <Select {...label} placeholder={t`Choose`} clearable data={named(priorityLooks)} />;
    case "status":
      return <Select {...label} placeholder={t`Choose`} clearable data={named(stateLooks).filter((s) => s.value !== "closed")} />;
    case "assigned_team":
      return <Select {...label} placeholder={t`Choose`} clearable data={teams.filter((team) => team.is_active).map((team) => ({ value: String(team.id), label: team.name }))} />;
    case "assignee":
    case "contributors":
      return <PersonSelect {...label} value={person} onChange={setPerson} />;
  }
  if (!own) return null;
  const data = optionsOf(own).map((o) => ({ value: o.id, label: o.value }));
  switch (own.type) {
    case "select":
      return <Select {...label} placeholder={t`Choose`} clearable data={data} defaultValue={typeof begins === "string" ? begins : null} />;
    case "multi_select":
      return <MultiSelect {...label} placeholder={t`Choose`} clearable data={data} defaultValue={Array.isArray(begins) ? begins : []} />;
    case "text":
      return own.config.type === "text" && own.config.single_line === false ? <Textarea {...label} autosize minRows={2} maxLength={own.config.max_length} /> : <TextInput {...label} />;
    case "number":
      return <NumberInput {...label} hideControls />;
    case "date":
      return <TextInput {...label} type="date" />;
    case "user_select":
      return <PersonSelect {...label} value={person} onChange={setPerson} />;
    case "attachment":
      return <FileInput {...label} placeholder={t`Choose files`} multiple />;
  }
}
