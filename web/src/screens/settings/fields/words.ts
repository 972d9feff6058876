// What people call the kinds of custom fields.
import { t } from "@lingui/core/macro";
import type { FieldOwner, FieldType } from "../../../data/customFields";

export const types = (): Record<FieldType, { label: string; about: string }> => ({
  select: { label: t`Single select`, about: t`One option can be chosen.` },
  multi_select: { label: t`Multi-select`, about: t`Any number of options can be chosen.` },
  text: { label: t`Text`, about: t`One or more lines of text.` },
  number: { label: t`Number`, about: t`A number, with or without decimals.` },
  date: { label: t`Date`, about: t`A date.` },
  user_select: { label: t`Person`, about: t`A person in the chat system.` },
  attachment: { label: t`Files`, about: t`Attached files.` },
});

type OwnerWords = { label: string; fields: string; about: string; none: string; why: string; make: string; deletes: string };

export const owners = (): Record<FieldOwner, OwnerWords> => ({
  request: {
    label: t`Requests`,
    fields: t`Fields on requests`,
    about: t`A field on requests.`,
    none: t`No request fields yet`,
    why: t`Create one for a detail you often need about a request.`,
    make: t`New request field`,
    deletes: t`Deleting the field removes its values from all requests, and ticket forms no longer ask for it.`,
  },
  customer: {
    label: t`Customers`,
    fields: t`Fields on customers`,
    about: t`A field on customers.`,
    none: t`No customer fields yet`,
    why: t`Create one for a detail you often need about a customer.`,
    make: t`New customer field`,
    deletes: t`Deleting the field removes its values from all customers.`,
  },
});

export const typeChoices = () => Object.entries(types()).map(([value, { label }]) => ({ value, label }));

export function offersOptions(type: FieldType): boolean {
  return type === "select" || type === "multi_select";
}

/** What is wrong with the options as they stand; null for nothing. */
export function optionProblem(options: { value: string }[]): string | null {
  const seen = new Set<string>();
  for (const { value } of options) {
    const name = value.trim();
    if (name === "") return t`An option needs a name.`;
    if (seen.has(name.toLowerCase())) return t`“${name}” is listed twice.`;
    seen.add(name.toLowerCase());
  }
  return null;
}
