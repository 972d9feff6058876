// What people call the kinds of custom fields.
import type { FieldOwner, FieldType } from "../../../data/customFields";

export const types: Record<FieldType, { label: string; about: string }> = {
  select: { label: "One of several", about: "Somebody chooses one option." },
  multi_select: { label: "Several of several", about: "Somebody chooses any number of options." },
  text: { label: "Text", about: "A line or some lines of text." },
  number: { label: "Number", about: "A number, also with decimals." },
  date: { label: "Date", about: "A day." },
  user_select: { label: "Person", about: "Somebody in the chat system." },
  attachment: { label: "Files", about: "Files that are added." },
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
    if (seen.has(name)) return `“${value.trim()}” is given twice.`;
    seen.add(name);
  }
  return null;
}
