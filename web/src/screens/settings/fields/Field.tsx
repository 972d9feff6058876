import { Button, Select, MultiSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type CustomField, changeCustomField, customFieldsQuery, optionsOf, removeCustomField } from "../../../data/customFields";
import { useIsAdmin } from "../../../data/me";
import { Question } from "../../../parts/Question";
import { SavedSwitch, SavedText } from "../../../parts/Saved";
import { SavedField, SavedLines, SavedNumber } from "../../../parts/SavedField";
import { Empty, Failure, Loading } from "../../../parts/states";
import { tell } from "../../../tell";
import { Section, SettingsColumn } from "../Column";
import { Facts } from "../Facts";
import { Up } from "../Up";
import { FieldOptions } from "./FieldOptions";
import { offersOptions, owners, types } from "./words";

const route = getRouteApi("/frame/settings/fields/$id");

/** One field: what it is called, and what it offers. */
export function Field() {
  const id = Number(route.useParams().id);
  const isAdmin = useIsAdmin();
  // The address says the field alone, and both lists are short.
  const requests = useQuery(customFieldsQuery("request"));
  const customers = useQuery(customFieldsQuery("customer"));
  const field = [...(requests.data ?? []), ...(customers.data ?? [])].find((f) => f.id === id);
  const failed = requests.isError ? requests : customers.isError ? customers : null;
  if (failed) return <Failure whole error={failed.error} retry={() => void failed.refetch()} />;
  if (!field) {
    if (!requests.data || !customers.data) return <Loading />;
    return (
      <Empty title="Field not found" action={<Up page="fields" label="Custom fields" />}>
        It may have been deleted.
      </Empty>
    );
  }
  return (
    <SettingsColumn title={field.name} back={<Up page="fields" label="Custom fields" />} about={`A field on ${owners[field.entity_type].word}. ${types[field.type].about}`}>
      {isAdmin ? <Settings key={id} field={field} /> : <FieldFacts field={field} />}
    </SettingsColumn>
  );
}

function FieldFacts({ field }: { field: CustomField }) {
  return (
    <Facts
      of={[
        ["Type", types[field.type].label],
        ["Description", field.description ?? "–"],
        ...(offersOptions(field.type)
          ? ([
              [
                "Options",
                optionsOf(field)
                  .map((o) => o.value)
                  .join(", "),
              ],
            ] as [string, string][])
          : []),
        ...(field.config.type === "text" ? ([["Maximum length", field.config.max_length]] as [string, number][]) : []),
      ]}
    />
  );
}

function Settings({ field }: { field: CustomField }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const { config } = field;
  return (
    <>
      <Section title="Name">
        <SavedText label="Name" field="name" maxLength={200} value={field.name} save={(name) => changeCustomField(field, { name })} />
        <SavedLines
          label="Description"
          description="Shown next to the field."
          field="description"
          maxLength={1000}
          value={field.description ?? ""}
          save={(d) => changeCustomField(field, { description: d || null })}
        />
      </Section>
      {offersOptions(field.type) && <FieldOptions field={field} />}
      {config.type === "text" && (
        <Section title="Text">
          <SavedNumber
            label="Maximum length"
            description="Cannot be shorter than an existing value."
            field="config.max_length"
            min={1}
            max={3000}
            value={config.max_length}
            save={(max_length) => changeCustomField(field, { config: { max_length } })}
          />
          <SavedSwitch label="Single line" value={config.single_line ?? false} save={(single_line) => changeCustomField(field, { config: { single_line } })} />
        </Section>
      )}
      {offersOptions(field.type) && <Default field={field} />}
      <Section title="Delete">
        <Text c="dimmed">Deleting the field removes its values from all {owners[field.entity_type].word}, and ticket forms no longer ask for it.</Text>
        <div>
          <Button variant="default" color="red" c="var(--bad)" onClick={() => setAsking(true)}>
            Delete field
          </Button>
        </div>
      </Section>
      <Question
        opened={asking}
        close={() => setAsking(false)}
        title={`Delete ${field.name}?`}
        yes="Delete field"
        run={async () => {
          const search = field.entity_type === "customer" ? { of: "customers" } : {};
          await removeCustomField(field);
          tell(`${field.name} deleted.`);
          await navigate({ to: "/settings/$page", params: { page: "fields" }, search });
        }}
      >
        Its values are removed, and ticket forms no longer ask for it. Past changes stay in the history. This cannot be undone.
      </Question>
    </>
  );
}

/** What a form begins with. */
function Default({ field }: { field: CustomField }) {
  const data = optionsOf(field).map((o) => ({ value: o.id, label: o.value }));
  const value = field.config.default_value;
  return (
    <Section title="Default">
      <SavedField<string[]>
        field="config.default_value"
        value={Array.isArray(value) ? value : typeof value === "string" ? [value] : []}
        save={(chosen) => changeCustomField(field, { config: { default_value: chosen.length === 0 ? null : field.type === "select" ? (chosen[0] ?? null) : chosen } })}
      >
        {({ value, set, error }) =>
          field.type === "select" ? (
            <Select label="Default value" placeholder="None" clearable data={data} value={value[0] ?? null} onChange={(v) => set(v === null ? [] : [v])} error={error} />
          ) : (
            <MultiSelect label="Default value" placeholder={value.length === 0 ? "None" : ""} clearable data={data} value={value} onChange={set} error={error} />
          )
        }
      </SavedField>
    </Section>
  );
}
