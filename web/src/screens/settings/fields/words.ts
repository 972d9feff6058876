// What people call the kinds of custom fields.
import type { FieldOwner, FieldType } from "../../../data/customFields";

export const types: Record<FieldType, { label: string; about: string }> = {
  select: { label: "Single select", about: "One option can be chosen." },
  multi_select: { label: "Multi-select", about: "Any number of options can be chosen." },
  text: { label: "Text", about: "One or more lines of text." },
  number: { label: "Number", about: "A number, with or without decimals." },
  date: { label: "Date", about: "A date." },
  user_select: { label: "Person", about: "A person in the chat system." },
  attachment: { label: "Files", about: "Attached files." },
};

export const owners: Record<FieldOwner, { label: string; one: string; word: string }> = {
  request: { label: "Requests", one: "request", word: "requests" },
  customer: { label: "Customers", one: "customer", word: "customers" },
};

export const typeChoices = (Object.keys(types) as FieldType[]).map((value) => ({ value, label: types[value].label }));

export function offersOptions(type: FieldType): boolean {
  return type === "select" || type === "multi_select";
}

/** What is wrong with the options as they stand; null for nothing. */
export function optionProblem(options: { value: string }[]): string | null {
  const seen = new Set<string>();
  for (const { value } of options) {
    const name = value.trim().toLowerCase();
    if (name === "") return "An option needs a name.";
    if (seen.has(name)) return `“${value.trim()}” is listed twice.`;
    seen.add(name);
  }
  return null;
}
