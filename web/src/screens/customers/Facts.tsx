import { plural, t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { type CustomField, customerFieldsQuery } from "../../data/customer";
import type { Customer } from "../../data/customers";
import { useUser } from "../../data/people";
import classes from "./Customers.module.css";

/** The same as plain text, for viewers. */
export function Facts({ customer }: { customer: Customer }) {
  const owner = useUser(customer.owner);
  const fields = useQuery(customerFieldsQuery).data ?? [];
  return (
    <dl className={classes.fact}>
      <dt>{t`Owner`}</dt>
      <dd>{customer.owner === null ? t`Collection owner` : (owner?.name ?? "…")}</dd>
      <dt>{t`Domains`}</dt>
      <dd>{customer.domains.join(", ") || t({ message: "None", context: "domains" })}</dd>
      {fields.map((f) => (
        <Fact key={f.id} field={f} value={customer.custom_field_values[String(f.id)] ?? null} />
      ))}
    </dl>
  );
}

function Fact({ field, value }: { field: CustomField; value: unknown }) {
  const person = useUser(field.type === "user_select" && typeof value === "string" ? value : null);
  const options = "options" in field.config ? field.config.options : [];
  const name = (id: unknown) => options.find((o) => o.id === String(id))?.value ?? String(id);
  const files = Array.isArray(value) ? value.length : 0;
  const text =
    value === null
      ? t({ message: "None", context: "value" })
      : person
        ? person.name
        : field.type === "attachment" && Array.isArray(value)
          ? plural(files, { one: "# file", other: "# files" })
          : Array.isArray(value)
            ? value.map(name).join(", ")
            : name(value);
  return (
    <>
      <dt>{field.name}</dt>
      <dd>{text}</dd>
    </>
  );
}
