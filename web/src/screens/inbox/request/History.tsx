import { Button, Collapse, Text, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { customersQuery } from "../../../data/customers";
import { customFieldsQuery, valueInWords } from "../../../data/customFields";
import { type HistoryEntry, historyQuery, undoable, useUndo } from "../../../data/history";
import { teamsQuery, useUser } from "../../../data/people";
import type { Priority, Request, State } from "../../../data/requests";
import { priorityLooks, stateLooks } from "../../../parts/request";
import { Failure, Loading } from "../../../parts/states";
import { Ago, dateAndTime } from "../../../parts/time";
import { RequestKey, RequestKeys } from "./RequestKey";
import classes from "./Panel.module.css";

/** Who changed what. It is read when somebody opens it. */
export function History({ request, mayWrite }: { request: Request; mayWrite: boolean }) {
  const [opened, setOpened] = useState(false);
  return (
    <section className={classes.part}>
      <h2>
        <UnstyledButton className={classes.fold!} aria-expanded={opened} onClick={() => setOpened(!opened)}>
          History <IconChevronRight size={14} aria-hidden data-open={opened || undefined} />
        </UnstyledButton>
      </h2>
      <Collapse expanded={opened}>{opened && <Entries request={request} mayWrite={mayWrite} />}</Collapse>
    </section>
  );
}

function Entries({ request, mayWrite }: { request: Request; mayWrite: boolean }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(historyQuery(request.id));
  const undo = useUndo();
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={3} />;
  const entries = data.pages.flatMap((p) => p.history);
  return (
    <>
      <ol className={classes.history}>
        {entries.map((h, i) => (
          <li key={h.id ?? `made ${h.at}`} {...(h.undone_at !== undefined && { "data-undone": true })}>
            <Text span size="sm" fw={500}>
              <bdi>{h.actor.name}</bdi>
            </Text>{" "}
            <Text span size="xs" c="dimmed">
              <Ago at={h.at} />
            </Text>
            <Sentences of={h} />
            {mayWrite && h.id !== null && h.undone_at === undefined && h.action !== "request.undone" && i < undoable && (
              <Button variant="subtle" size="compact-xs" loading={undo.isPending && undo.variables.changeId === h.id} onClick={() => undo.mutate({ id: request.id, changeId: h.id! })}>
                Undo
              </Button>
            )}
            {h.undone_at !== undefined && (
              <Text span size="xs" c="dimmed">
                Undone
              </Text>
            )}
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button variant="default" size="compact-xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show earlier
        </Button>
      )}
    </>
  );
}

function Sentences({ of }: { of: HistoryEntry }) {
  if (of.action === "request.created") return <p>opened the request{of.source === "import" ? " (imported)" : ""}</p>;
  if (of.action === "request.undone" && of.changes.length === 0) return <p>undid a change</p>;
  return (
    <ul>
      {of.changes.map((c) => (
        <Change key={c.field} of={c} undone={of.action === "request.undone"} />
      ))}
      {of.changes.length === 0 && <li>changed the request</li>}
    </ul>
  );
}

const names: Record<string, string> = {
  state: "State",
  title: "Title",
  priority: "Priority",
  assignee: "Assignee",
  assigned_team: "Team",
  tags: "Tags",
  contributors: "Contributors",
  parent_request: "Parent request",
  not_a_request_state: "Not a request",
  customer_id: "Customer",
  collection_id: "Collection",
};

function Change({ of: { field, from, to }, undone }: { of: HistoryEntry["changes"][number]; undone: boolean }) {
  const fields = useQuery(customFieldsQuery("request")).data;
  const own = field.startsWith("custom_field_values.") ? fields?.find((f) => String(f.id) === field.slice("custom_field_values.".length)) : undefined;
  switch (field) {
    case "merged_requests":
      return (
        <li>
          {undone ? (
            "Unmerged the requests"
          ) : (
            <>
              Merged <RequestKeys ids={to} /> into this
            </>
          )}
        </li>
      );
    case "merged_into":
      return (
        <li>
          {to === null ? "Unmerged from" : "Merged into"} <RequestKey id={Number(to ?? from)} />
        </li>
      );
    case "split_into":
      return (
        <li>
          {to === null ? "Merged" : "Split off"} <RequestKey id={Number(to ?? from)} />
          {to === null && " back"}
        </li>
      );
    case "snooze":
      return <li>{snoozeInWords(to as Snoozed, undone)}</li>;
    case "split_from":
      return (
        <li>
          Split from <RequestKey id={Number(to ?? from)} />
        </li>
      );
    default:
      return (
        <li>
          {own?.name ?? names[field] ?? (field.startsWith("custom_field_values.") ? "Deleted field" : field)}: <Value field={field} value={from} own={own} /> →{" "}
          <Value field={field} value={to} own={own} />
        </li>
      );
  }
}

type Snoozed = { until: string | null } | null;

function snoozeInWords(to: Snoozed, undone: boolean): string {
  if (to === null) return undone ? "No longer snoozed" : "Came back";
  return to.until === null ? "Snoozed until the customer answers" : `Snoozed until ${dateAndTime(to.until)}`;
}

function Value({ field, value, own }: { field: string; value: unknown; own: Parameters<typeof valueInWords>[0] }) {
  const teams = useQuery({ ...teamsQuery, enabled: field === "assigned_team" }).data;
  const customers = useQuery({ ...customersQuery, enabled: field === "customer_id" }).data;
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return <span className={classes.faint}>none</span>;
  if (field === "assignee" || own?.type === "user_select") return <Name id={String(value)} />;
  if (field === "contributors" && Array.isArray(value))
    return value.map((id, i) => (
      <span key={String(id)}>
        {i > 0 && ", "}
        <Name id={String(id)} />
      </span>
    ));
  if (field === "state") return stateLooks[value as State]?.label ?? String(value);
  if (field === "priority") return priorityLooks[value as Priority]?.label ?? String(value);
  if (field === "assigned_team") return teams?.find((t) => t.id === value)?.name ?? `#${String(value)}`;
  if (field === "customer_id") return customers?.find((c) => c.id === value)?.name ?? `#${String(value)}`;
  if (field === "parent_request") return <RequestKey id={Number(value)} />;
  return valueInWords(own, value);
}

function Name({ id }: { id: string }) {
  return <>{useUser(id)?.name ?? "…"}</>;
}
