import { t } from "@lingui/core/macro";
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
      <Empty title={t`Field not found`} action={<Up page="fields" label={t`Custom fields`} />}>
        {t`It may have been deleted.`}
      </Empty>
    );
  }
  return (
    <SettingsColumn title={field.name} back={<Up page="fields" label={t`Custom fields`} />} about={`${owners()[field.entity_type].about} ${types()[field.type].about}`}>
      {isAdmin ? <Settings key={id} field={field} /> : <FieldFacts field={field} />}
    </SettingsColumn>
  );
}

function FieldFacts({ field }: { field: CustomField }) {
  return (
    <Facts
      of={[
        [t`Type`, types()[field.type].label],
        [t`Description`, field.description ?? "–"],
        ...(offersOptions(field.type)
          ? ([
              [
                t`Options`,
                optionsOf(field)
                  .map((o) => o.value)
                  .join(", "),
              ],
            ] as [string, string][])
          : []),
        ...(field.config.type === "text" ? ([[t`Maximum length`, field.config.max_length]] as [string, number][]) : []),
      ]}
    />
  );
}

function Settings({ field }: { field: CustomField }) {
  const { name } = field;
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const { config } = field;
  return (
    <>
      <Section title={t`Name`}>
        <SavedText label={t`Name`} field="name" maxLength={200} value={field.name} save={(name) => changeCustomField(field, { name })} />
        <SavedLines
          label={t`Description`}
          description={t`Shown next to the field.`}
          field="description"
          maxLength={1000}
          value={field.description ?? ""}
          save={(d) => changeCustomField(field, { description: d || null })}
        />
      </Section>
      {offersOptions(field.type) && <FieldOptions field={field} />}
      {config.type === "text" && (
        <Section title={t`Text`}>
          <SavedNumber
            label={t`Maximum length`}
            description={t`Cannot be shorter than an existing value.`}
            field="config.max_length"
            min={1}
            max={3000}
            value={config.max_length}
            save={(max_length) => changeCustomField(field, { config: { max_length } })}
          />
          <SavedSwitch label={t`Single line`} value={config.single_line ?? false} save={(single_line) => changeCustomField(field, { config: { single_line } })} />
        </Section>
      )}
      {offersOptions(field.type) && <Default field={field} />}
      <Section title={t`Delete`}>
        <Text c="dimmed">{owners()[field.entity_type].deletes}</Text>
        <div>
          <Button variant="default" color="red" c="var(--bad)" onClick={() => setAsking(true)}>
            {t`Delete field`}
          </Button>
        </div>
      </Section>
      <Question
        opened={asking}
        close={() => setAsking(false)}
        title={t`Delete ${name}?`}
        yes={t`Delete field`}
        run={async () => {
          const search = field.entity_type === "customer" ? { of: "customers" } : {};
          await removeCustomField(field);
          tell(t`${name} deleted.`);
          await navigate({ to: "/settings/$page", params: { page: "fields" }, search });
        }}
      >
        {field.entity_type === "request"
          ? t`Its values are removed, and ticket forms no longer ask for it. Past changes stay in the history. This cannot be undone.`
          : t`Its values are removed. Past changes stay in the history. This cannot be undone.`}
      </Question>
    </>
  );
}

/** What a form begins with. */
function Default({ field }: { field: CustomField }) {
  const data = optionsOf(field).map((o) => ({ value: o.id, label: o.value }));
  const value = field.config.default_value;
  return (
    <Section title={t`Default`}>
      <SavedField<string[]>
        field="config.default_value"
        value={Array.isArray(value) ? value : typeof value === "string" ? [value] : []}
        save={(chosen) => changeCustomField(field, { config: { default_value: chosen.length === 0 ? null : field.type === "select" ? (chosen[0] ?? null) : chosen } })}
      >
        {({ value, set, error }) =>
          field.type === "select" ? (
            <Select
              label={t`Default value`}
              placeholder={t({ message: "None", context: "default value" })}
              clearable
              data={data}
              value={value[0] ?? null}
              onChange={(v) => set(v === null ? [] : [v])}
              error={error}
            />
          ) : (
            <MultiSelect
              label={t`Default value`}
              placeholder={value.length === 0 ? t({ message: "None", context: "default value" }) : ""}
              clearable
              data={data}
              value={value}
              onChange={set}
              error={error}
            />
          )
        }
      </SavedField>
    </Section>
  );
}
