// What the account has added to its requests and to its customers.
import { t } from "@lingui/core/macro";
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";

export type CustomField = Schemas["CustomField"];
export type FieldValue = Schemas["CustomFieldValues"][string];
export type FieldType = CustomField["type"];
export type FieldOwner = CustomField["entity_type"];
export type FieldConfig = NonNullable<Schemas["CustomFieldChange"]["config"]>;
/** An option; a new one has no id yet, and a number of its own to tell it from the others. */
export type FieldOption = { id?: string; draft?: number; value: string };

/** As the API takes them. */
export function givenOptions(options: FieldOption[]): { id?: string; value: string }[] {
  return options.map(({ id, value }) => ({ ...(id !== undefined && { id }), value: value.trim() }));
}

export const customFieldsQuery = (of: FieldOwner) =>
  queryOptions({
    queryKey: ["custom-fields", of],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/custom-fields", { params: { query: { entity_type: of } }, signal }))).custom_fields,
    staleTime: 5 * 60_000,
  });

/** What a select offers; nothing of the other types. */
export function optionsOf(field: CustomField): { id: string; value: string }[] {
  return "options" in field.config ? field.config.options : [];
}

const none = () => t({ message: "none", context: "custom field value" });

/** A value as a person reads it. */
export function valueInWords(field: CustomField | undefined, value: unknown): string {
  if (value === null || value === undefined || value === "") return none();
  const offered = field ? optionsOf(field) : [];
  const one = (v: unknown) => offered.find((o) => o.id === v)?.value ?? String(v);
  return Array.isArray(value) ? value.map(one).join(", ") || none() : one(value);
}

export async function makeCustomField(body: Schemas["NewCustomField"]): Promise<CustomField> {
  const field = await ask(api.POST("/v1/rest/custom-fields", { body }));
  queryClient.setQueryData(customFieldsQuery(field.entity_type).queryKey, (all) => all && [...all, field]);
  return field;
}

type FieldChange = { name?: string; description?: string | null; config?: FieldConfig };

let last: Promise<unknown> = Promise.resolve();

/**
 * Changes a field. The version is sent along, so that two people do not silently overwrite each other's options.
 * That is why changes made here have to run one after the other.
 */
export function changeCustomField(field: CustomField, change: FieldChange): Promise<void> {
  const mine = last.catch(() => {}).then(() => put(field, change));
  last = mine;
  return mine;
}

async function put(field: CustomField, change: FieldChange): Promise<void> {
  const key = customFieldsQuery(field.entity_type).queryKey;
  const latest = queryClient.getQueryData(key)?.find((f) => f.id === field.id) ?? field;
  try {
    const now = await ask(
      api.PUT("/v1/rest/custom-fields/{id}", {
        params: { path: { id: field.id } },
        body: { name: latest.name, type: latest.type, version: latest.version, ...change },
      }),
    );
    queryClient.setQueryData(key, (all) => all?.map((f) => (f.id === now.id ? now : f)));
  } catch (e) {
    void queryClient.invalidateQueries({ queryKey: key }); // perhaps somebody else was first
    throw e;
  }
}

export async function removeCustomField(field: CustomField): Promise<void> {
  await ask(api.DELETE("/v1/rest/custom-fields/{id}", { params: { path: { id: field.id } }, parseAs: "text" }));
  queryClient.setQueryData(customFieldsQuery(field.entity_type).queryKey, (all) => all?.filter((f) => f.id !== field.id));
  void queryClient.invalidateQueries({ queryKey: ["ticket-forms"] }); // forms ask for it no more
}
