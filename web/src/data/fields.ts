// The fields that the account has added to requests.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

export type CustomField = Schemas["CustomField"];
export type FieldValue = Schemas["CustomFieldValues"][string];

export const requestFieldsQuery = queryOptions({
  queryKey: ["custom-fields", "request"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/custom-fields", { params: { query: { entity_type: "request" } }, signal }))).custom_fields,
  staleTime: 5 * 60_000,
});

/** What a field offers, where it offers something. */
export function options(field: CustomField): { id: string; value: string }[] {
  return "options" in field.config ? field.config.options : [];
}

/** A value as a person reads it. */
export function valueInWords(field: CustomField | undefined, value: unknown): string {
  if (value === null || value === undefined || value === "") return "nothing";
  const offered = field ? options(field) : [];
  const one = (v: unknown) => offered.find((o) => o.id === v)?.value ?? String(v);
  return Array.isArray(value) ? value.map(one).join(", ") || "nothing" : one(value);
}
