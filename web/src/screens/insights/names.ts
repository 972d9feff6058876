// Rows have ids; people have names.
import { useQueries, useQuery } from "@tanstack/react-query";
import { collectionsQuery } from "../../data/collections";
import { customersQuery } from "../../data/customers";
import { type Member, type Meta, type Row, type Value, full, short } from "../../data/insights";
import { userQuery } from "../../data/people";
import { inWords } from "./format";

// Titles of the interface are its names; these are ids there and names here.
const titles: Record<string, string> = {
  assignee_user_id: "Assignee",
  customer_id: "Customer",
  customer_owner: "Customer’s owner",
  collection_id: "Collection",
  chat_channel_name: "Channel",
  csat_score: "CSAT score",
  state: "State",
};

/** What a dimension or filter member is called. */
export function titleOf(name: string, members: Member[]): string {
  return titles[short(name)] ?? members.find((m) => short(m.name) === short(name))?.title ?? name;
}

export type Names = (dimension: string, value: Value) => string;

const nothing: Record<string, string> = { assignee_user_id: "Unassigned", customer_id: "No customer", customer_owner: "No owner", csat_score: "No answer" };

function holdsUsers(dimension: string, meta: Meta | undefined): boolean {
  if (dimension === "assignee_user_id" || dimension === "customer_owner") return true;
  // Among custom fields, only a person field has string values without options.
  const member = meta?.dimensions.find((d) => d.name === full(dimension));
  return member?.custom_field_id !== undefined && member.type === "string";
}

/** How the values of these dimensions are called; an id until that is known. */
export function useNames(dimensions: string[], rows: Row[], meta: Meta | undefined): Names {
  const customers = useQuery({ ...customersQuery, enabled: dimensions.includes("customer_id") }).data;
  const collections = useQuery({ ...collectionsQuery, enabled: dimensions.includes("collection_id") }).data;
  const ids = new Set<string>();
  for (const d of dimensions) {
    if (!holdsUsers(d, meta)) continue;
    for (const row of rows) {
      const id = row[full(d)];
      if (typeof id === "string") ids.add(id);
    }
  }
  const users = new Map(useQueries({ queries: [...ids].map((id) => userQuery(id)), combine: (all) => all.flatMap((q) => (q.data ? [q.data] : [])) }).map((u) => [u.id, u.name]));
  return (dimension, value) => {
    if (value === null) return nothing[dimension] ?? "None";
    switch (dimension) {
      case "state":
      case "priority":
        return inWords(String(value));
      case "customer_id":
        return customers?.find((c) => c.id === value)?.name ?? `Customer ${value}`;
      case "collection_id":
        return collections?.find((c) => c.id === value)?.name ?? `Collection ${value}`;
      case "chat_channel_name":
        return `#${value}`;
    }
    if (holdsUsers(dimension, meta)) return users.get(String(value)) ?? String(value);
    const options = meta?.dimensions.find((d) => short(d.name) === dimension)?.options;
    return options?.find((o) => o.id === String(value))?.value ?? String(value);
  };
}
