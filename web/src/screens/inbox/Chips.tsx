import { IconX } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { collectionsQuery } from "../../data/collections";
import { type CustomField, customFieldsQuery, optionsOf } from "../../data/customFields";
import { customersQuery } from "../../data/customers";
import { teamsQuery, userQuery } from "../../data/people";
import { priorityLooks, stateLooks } from "../../parts/request";
import { useMe } from "../../data/me";
import { dayName, endDay, firstDay } from "../../parts/days";
import { dateAndTime } from "../../parts/time";
import { choices } from "./FilterChoice";
import { type FilterName, type Filters, same, unsolved, valuesOf, withValues } from "./filters";
import classes from "./Inbox.module.css";
import { dueTimes, emotions, sentiments, sources } from "./triage";

const fieldLabel = (fields: CustomField[] | undefined, value: string) => {
  const [id, option] = value.split(":");
  const field = fields?.find((f) => String(f.id) === id);
  return field ? `${field.name}: ${optionsOf(field).find((o) => o.id === option)?.value ?? "…"}` : "…";
};

type Chip = { name: FilterName; value: string; label: string };

/** What the list is narrowed to, each with a way to take it away. */
export function Chips({ filters, narrow }: { filters: Filters; narrow: (f: Filters) => void }) {
  const chips = useChips(filters);
  // The default filter needs no chip.
  if (chips.length === 0 || same(filters, { state: unsolved, query: filters.query } as Filters)) return null;
  return (
    <ul className={classes.chips} aria-label="Filters">
      {chips.map((c) => (
        <li key={`${c.name} ${c.value}`}>
          <button
            type="button"
            className={classes.chip}
            aria-label={`Remove filter: ${c.label}`}
            onClick={() =>
              narrow(
                withValues(
                  filters,
                  c.name,
                  valuesOf(filters, c.name).filter((v) => v !== c.value),
                ),
              )
            }
          >
            <bdi>{c.label}</bdi>
            <IconX size={12} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}

function useChips(filters: Filters): Chip[] {
  const has = (name: FilterName) => filters[name] !== undefined;
  const teams = useQuery({ ...teamsQuery, enabled: has("team_id") }).data;
  const customers = useQuery({ ...customersQuery, enabled: has("customer_id") }).data;
  const collections = useQuery({ ...collectionsQuery, enabled: has("collection_id") || has("channel_id") }).data;
  const fields = useQuery({ ...customFieldsQuery("request"), enabled: has("custom_field") }).data;
  const ids = valuesOf(filters, "assignee_id").filter((id) => id !== "me" && id !== "none");
  const people = useQueries({ queries: ids.map((id) => userQuery(id)) });
  const one = <T extends { id: string | number; name: string }>(list: T[] | undefined, id: string) => list?.find((l) => String(l.id) === id)?.name ?? "…";

  // In days of the account where it is whole days, and else by the reader's clock.
  const zone = useMe()?.account.time_zone;
  const edge = (word: string, dayAt: typeof firstDay, otherwise: string, value: string) => {
    const day = zone ? dayAt(value, zone) : null;
    if (day !== null) return `${word} ${dayName(day)}`;
    return `${otherwise} ${Number.isNaN(Date.parse(value)) ? value : dateAndTime(value)}`;
  };

  const label = (name: FilterName, value: string): string | null => {
    switch (name) {
      case "state":
        if (value === unsolved) return "Unsolved";
        return value === "none" ? "Not a request" : (stateLooks[value as keyof typeof stateLooks]?.label ?? value);
      case "priority":
        return `${priorityLooks[value as keyof typeof priorityLooks]?.label ?? value} priority`;
      case "assignee_id":
        if (value === "me") return "Assigned to me";
        return value === "none" ? "Unassigned" : (people[ids.indexOf(value)]?.data?.name ?? "…");
      case "team_id":
        return value === "none" ? "No team" : one(teams, value);
      case "customer_id":
        return value === "none" ? "No customer" : one(customers, value);
      case "collection_id":
        return `${choices.collection_id}: ${one(collections, value)}`;
      case "channel_id":
        return `#${one(
          collections?.flatMap((p) => p.channels ?? []),
          value,
        )}`;
      case "tag":
        return `Tag: ${value}`;
      case "unread":
        return "Unread";
      case "following":
        return "Following";
      case "snoozed":
        return value === "true" ? "Snoozed" : value === "back" ? "Back from a snooze" : "Not snoozed";
      case "author_emails":
        return `From ${value}`;
      case "after":
        return edge("From", firstDay, "After", value);
      case "before":
        return edge("Before", endDay, "Before", value);
      case "filter_by":
        return value === "last_message_at" ? "By last message" : "Last updated first";
      case "sort":
        return value === "next_due" ? "Next due first" : "Most urgent first";
      case "sla":
        return dueTimes.breached;
      case "due_within":
        return dueTimes[value as keyof typeof dueTimes] ?? `Due within ${value} minutes`;
      case "source":
        return `By ${(sources[value as keyof typeof sources] ?? value).replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase())}`;
      case "category":
        return `Category: ${value}`;
      case "sentiment":
        return `Sentiment: ${(sentiments[value as keyof typeof sentiments] ?? value).toLowerCase()}`;
      case "emotion":
        return `Emotion: ${(emotions[value as keyof typeof emotions] ?? value).toLowerCase()}`;
      case "custom_field":
        return fieldLabel(fields, value);
      case "sort_order":
        return value === "asc" ? "Oldest first" : null;
      case "query":
        return null; // it stands in the search box
    }
  };
  return (Object.keys(filters) as FilterName[]).flatMap((name) =>
    valuesOf(filters, name).flatMap((value) => {
      const text = label(name, value);
      return text === null ? [] : [{ name, value, label: text }];
    }),
  );
}
