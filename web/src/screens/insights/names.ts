// Rows have ids; people have names.
import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useQueries, useQuery } from "@tanstack/react-query";
import { collectionsQuery } from "../../data/collections";
import { customersQuery } from "../../data/customers";
import { type Member, type Meta, type Row, type Value, full, short } from "../../data/insights";
import { userQuery } from "../../data/people";
import { inWords } from "./format";
import { wordsOf } from "./measures";

// Titles of the interface are its names; these are ids there and names here.
const titles: Record<string, MessageDescriptor> = {
  assignee_user_id: msg`Assignee`,
  customer_id: msg`Customer`,
  customer_owner: msg`Customer’s owner`,
  collection_id: msg`Collection`,
  chat_channel_name: msg`Channel`,
  csat_score: msg`CSAT score`,
  state: msg`State`,
  priority: msg`Priority`,
  created_at: msg`Created`,
  has_ticket: msg`Has a ticket`,
  is_csat_triggered: msg`Survey sent`,
  csat_two_point_survey_value: msg({ message: "Thumb of the survey", comment: "The answer to a survey with thumbs: 1 is down, 2 is up" }),
};

/** What a dimension or filter member is called. */
export function titleOf(name: string, members: Member[]): string {
  const ours = titles[short(name)];
  return ours ? i18n._(ours) : (members.find((m) => short(m.name) === short(name))?.title ?? name);
}

export type Names = (dimension: string, value: Value) => string;

const times: Record<string, MessageDescriptor> = { created_at: msg`When the request was created`, csat_triggered_at: msg`When the survey was sent` };

/** Which moment of a request a period goes by. */
export function timeTitle({ name, meaning }: Member): string {
  const known = times[short(name)];
  return known ? i18n._(known) : meaning.replace(/\.$/, "");
}

/** What a measure is called. */
export function measureTitle(name: string, meta: Meta): string {
  const measure = meta.measures.find((m) => short(m.name) === short(name));
  return measure ? wordsOf(measure).title : name;
}

const nothing: Record<string, MessageDescriptor> = { assignee_user_id: msg`Unassigned`, customer_id: msg`No customer`, customer_owner: msg`No owner`, csat_score: msg`No answer` };

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
    if (value === null) return i18n._(nothing[dimension] ?? msg({ message: "None", context: "value" }));
    const id = String(value);
    switch (dimension) {
      case "state":
      case "priority":
        return inWords(id);
      case "customer_id":
        return customers?.find((c) => c.id === value)?.name ?? t`Customer ${id}`;
      case "collection_id":
        return collections?.find((c) => c.id === value)?.name ?? t`Collection ${id}`;
      case "chat_channel_name":
        return `#${value}`;
    }
    if (holdsUsers(dimension, meta)) return users.get(id) ?? id;
    const options = meta?.dimensions.find((d) => short(d.name) === dimension)?.options;
    return options?.find((o) => o.id === id)?.value ?? id;
  };
}
