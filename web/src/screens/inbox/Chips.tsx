import { plural, t } from "@lingui/core/macro";
import { IconX } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { memo } from "react";
import { collectionsQuery } from "../../data/collections";
import { type CustomField, customFieldsQuery, optionsOf } from "../../data/customFields";
import { customersQuery } from "../../data/customers";
import { teamsQuery, userQuery } from "../../data/people";
import { priorityLooks, stateLooks } from "../../parts/request";
import { useMe } from "../../data/me";
import { dayName, endDay, firstDay } from "../../parts/days";
import { dateAndTime } from "../../parts/time";
import { choices, dueTimes, emotions, sentiments, sources } from "./filterNames";
import { type FilterName, type Filters, same, unsolved, valuesOf, withValues } from "./filters";
import classes from "./Inbox.module.css";

const fieldLabel = (fields: CustomField[] | undefined, value: string) => {
  const [id, option] = value.split(":");
  const field = fields?.find((f) => String(f.id) === id);
  return field ? `${field.name}: ${optionsOf(field).find((o) => o.id === option)?.value ?? "…"}` : "…";
};

type Chip = { name: FilterName; value: string; label: string };

/** What the list is narrowed to, each with a way to take it away. */
export const Chips = memo(function Chips({ filters, narrow }: { filters: Filters; narrow: (f: Filters) => void }) {
  const chips = useChips(filters);
  // The default filter needs no chip.
  if (chips.length === 0 || same(filters, { state: unsolved, query: filters.query } as Filters)) return null;
  return (
    <ul className={classes.chips} aria-label={t`Filters`}>
      {chips.map(({ name, value, label }) => (
        <li key={`${name} ${value}`}>
          <button
            type="button"
            className={classes.chip}
            aria-label={t`Remove filter: ${label}`}
            onClick={() =>
              narrow(
                withValues(
                  filters,
                  name,
                  valuesOf(filters, name).filter((v) => v !== value),
                ),
              )
            }
          >
            <bdi>{label}</bdi>
            <IconX size={12} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
});

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
  const dayOf = (dayAt: typeof firstDay, value: string) => {
    const found = zone ? dayAt(value, zone) : null;
    return found === null ? null : dayName(found);
  };
  const momentOf = (value: string) => (Number.isNaN(Date.parse(value)) ? value : dateAndTime(value));

  const label = (name: FilterName, value: string): string | null => {
    switch (name) {
      case "state":
        if (value === unsolved) return t`Unsolved`;
        return value === "none" ? t`Not a request` : (stateLooks[value as keyof typeof stateLooks]?.label ?? value);
      case "priority": {
        const level = priorityLooks[value as keyof typeof priorityLooks]?.label ?? value;
        return t`${level} priority`;
      }
      case "assignee_id":
        if (value === "me") return t`Assigned to me`;
        return value === "none" ? t`Unassigned` : (people[ids.indexOf(value)]?.data?.name ?? "…");
      case "team_id":
        return value === "none" ? t`No team` : one(teams, value);
      case "customer_id":
        return value === "none" ? t`No customer` : one(customers, value);
      case "collection_id":
        return `${choices().collection_id}: ${one(collections, value)}`;
      case "channel_id":
        return `#${one(
          collections?.flatMap((p) => p.channels ?? []),
          value,
        )}`;
      case "tag":
        return `${choices().tag}: ${value}`;
      case "unread":
        return t`Unread`;
      case "following":
        return t`Following`;
      case "snoozed":
        return value === "true" ? t`Snoozed` : value === "back" ? t`Back from snooze` : t`Not snoozed`;
      case "author_emails": {
        const email = value;
        return t`From ${email}`;
      }
      case "after": {
        const day = dayOf(firstDay, value);
        const moment = momentOf(value);
        return day === null ? t`After ${moment}` : t`From ${day}`;
      }
      case "before": {
        const day = dayOf(endDay, value) ?? momentOf(value);
        return t`Before ${day}`;
      }
      case "filter_by":
        return value === "last_message_at" ? t`By last message` : t`Last updated first`;
      case "sort":
        return value === "next_due" ? t`Next due first` : t`Most urgent first`;
      case "sla":
        return dueTimes().breached ?? value;
      case "due_within":
        return dueTimes()[value] ?? t`${plural({ count: Number(value) || 0 }, { one: "Due within # minute", other: "Due within # minutes" })}`;
      case "source":
        return `${choices().source}: ${sources()[value] ?? value}`;
      case "category":
        return `${choices().category}: ${value}`;
      case "sentiment":
        return `${choices().sentiment}: ${sentiments()[value] ?? value}`;
      case "emotion":
        return `${choices().emotion}: ${emotions()[value] ?? value}`;
      case "custom_field":
        return fieldLabel(fields, value);
      case "sort_order":
        return value === "asc" ? t`Oldest first` : null;
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
