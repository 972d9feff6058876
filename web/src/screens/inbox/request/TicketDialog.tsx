import { t } from "@lingui/core/macro";
import { Input, MultiSelect, Select, Text, TextInput, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../../api/client";
import { customFieldsQuery } from "../../../data/customFields";
import { assigneesFound, teamsQuery, usersFound } from "../../../data/people";
import type { Request, State } from "../../../data/requests";
import { type TicketForm, createTicket } from "../../../data/tickets";
import { Dialog } from "../../../parts/Dialog";
import { DialogForm } from "../../../parts/DialogForm";
import { priorityLooks, stateLooks } from "../../../parts/request";
import { tell } from "../../../tell";
import { Field } from "./Fields";

type FormField = Schemas["FormField"];

/** Makes a ticket with a form, as a part of the request. */
export function TicketDialog({ request, form, close }: { request: Request; form: TicketForm | null; close: () => void }) {
  return (
    <Dialog opened={form !== null} onClose={close} title={form?.name ?? ""} size="lg">
      {form && <FormOf request={request} form={form} close={close} />}
    </Dialog>
  );
}

function FormOf({ request, form, close }: { request: Request; form: TicketForm; close: () => void }) {
  const [description, setDescription] = useState("");
  const [values, setValues] = useState<Record<string, unknown>>({});
  const asked = form.action_config.create.fields.filter((f) => !f.is_hidden && f.key !== "description");
  const missing = asked.filter((f) => f.required_by_responder && (values[f.key] === undefined || values[f.key] === null || values[f.key] === ""));
  const create = () => createTicket(request.id, { form: form.id, description: paragraphs(description), fields: Object.fromEntries(Object.entries(values).filter(([, v]) => v !== null && v !== "")) });
  const parent = request.key;
  const done = (ticket: { key: string }) => {
    const child = ticket.key;
    tell(t`Ticket ${child} created as a child of ${parent}.`);
    close();
  };
  return (
    <DialogForm send={create} done={done} close={close} yes={t`Create ticket`} ready={description.trim() !== "" && missing.length === 0}>
      {() => (
        <>
          <Text c="dimmed" size="sm">
            {form.description} {t`The ticket becomes its own request, as a child of ${parent}.`}
          </Text>
          {asked.map((f) => (
            <Asked key={f.key} field={f} value={values[f.key]} set={(v) => setValues({ ...values, [f.key]: v })} />
          ))}
          <Textarea label={t`Description`} required autosize minRows={4} maxRows={12} maxLength={3500} value={description} onChange={(e) => setDescription(e.currentTarget.value)} />
        </>
      )}
    </DialogForm>
  );
}

/** Plain text as the API takes it. */
function paragraphs(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return escaped
    .split(/\n{2,}/)
    .map((p) => `<p>${p.replaceAll("\n", "<br>")}</p>`)
    .join("");
}

/** One thing that a form asks for. People are given by their emails, teams by the chat system's id. */
function Asked({ field, value, set }: { field: FormField; value: unknown; set: (value: unknown) => void }) {
  const own = useQuery(customFieldsQuery("request")).data?.find((f) => String(f.id) === field.key);
  const teams = useQuery({ ...teamsQuery, enabled: field.key === "assigned_team" }).data ?? [];
  const label = { label: field.label, required: field.required_by_responder, withAsterisk: field.required_by_responder };
  const one = { value: typeof value === "string" ? value : null, onChange: (v: string | null) => set(v), clearable: true };
  switch (field.key) {
    case "title":
      return <TextInput {...label} maxLength={300} value={typeof value === "string" ? value : ""} onChange={(e) => set(e.currentTarget.value)} />;
    case "priority":
      return <Select {...label} {...one} data={Object.entries(priorityLooks).map(([v, l]) => ({ value: v, label: l.label }))} />;
    case "status":
      return <Select {...label} {...one} data={(Object.keys(stateLooks) as State[]).filter((s) => s !== "closed").map((s) => ({ value: s, label: stateLooks[s].label }))} />;
    case "assigned_team":
      return <Select {...label} {...one} data={teams.filter((team) => team.is_active && team.source_id).map((team) => ({ value: team.source_id!, label: team.name }))} />;
    case "assignee":
      return <Emails label={field.label} most={1} assignable value={typeof value === "string" ? [value] : []} set={(v) => set(v[0] ?? null)} />;
    case "contributors":
      return <Emails label={field.label} most={100} value={Array.isArray(value) ? (value as string[]) : []} set={set} />;
    default:
      if (!own || own.type === "attachment") return null;
      if (own.type === "user_select") return <Emails label={field.label} most={1} value={typeof value === "string" ? [value] : []} set={(v) => set(v[0] ?? null)} />;
      return (
        <Input.Wrapper label={field.label} withAsterisk={field.required_by_responder}>
          <Field boxed field={own} value={(value ?? null) as never} set={set} />
        </Input.Wrapper>
      );
  }
}

/** People by their emails. */
function Emails({ label, most, assignable = false, value, set }: { label: string; most: number; assignable?: boolean; value: string[]; set: (emails: string[]) => void }) {
  const [typed, setTyped] = useState("");
  const people = useQuery(assignable ? assigneesFound(typed.trim(), null) : usersFound(typed.trim())).data ?? [];
  const found = people.filter((u) => u.email).map((u) => ({ value: u.email!, label: u.name }));
  const data = [...found, ...value.filter((v) => !found.some((f) => f.value === v)).map((v) => ({ value: v, label: v }))];
  return (
    <MultiSelect
      label={label}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      maxValues={most}
      data={data}
      filter={({ options }) => options}
      value={value}
      onChange={set}
      nothingFoundMessage={t`No one found`}
    />
  );
}
