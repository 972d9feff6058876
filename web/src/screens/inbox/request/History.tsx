import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
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
          {t`History`} <IconChevronRight size={14} aria-hidden data-open={opened || undefined} />
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
                {t`Undo`}
              </Button>
            )}
            {h.undone_at !== undefined && (
              <Text span size="xs" c="dimmed">
                {t`Undone`}
              </Text>
            )}
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button variant="default" size="compact-xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t`Show earlier`}
        </Button>
      )}
    </>
  );
}

function Sentences({ of }: { of: HistoryEntry }) {
  if (of.action === "request.created") return <p>{of.source === "import" ? t`opened the request (imported)` : t`opened the request`}</p>;
  if (of.action === "request.undone" && of.changes.length === 0) return <p>{t`undid a change`}</p>;
  return (
    <ul>
      {of.changes.map((c) => (
        <Change key={c.field} of={c} undone={of.action === "request.undone"} />
      ))}
      {of.changes.length === 0 && <li>{t`changed the request`}</li>}
    </ul>
  );
}

const names = (): Record<string, string> => ({
  state: t`State`,
  title: t`Title`,
  priority: t`Priority`,
  assignee: t`Assignee`,
  assigned_team: t`Team`,
  tags: t`Tags`,
  contributors: t`Contributors`,
  parent_request: t`Parent request`,
  not_a_request_state: t`Not a request`,
  customer_id: t`Customer`,
  collection_id: t`Collection`,
});

function Change({ of: { field, from, to }, undone }: { of: HistoryEntry["changes"][number]; undone: boolean }) {
  const fields = useQuery(customFieldsQuery("request")).data;
  const own = field.startsWith("custom_field_values.") ? fields?.find((f) => String(f.id) === field.slice("custom_field_values.".length)) : undefined;
  const other = <RequestKey id={Number(to ?? from)} />;
  const others = <RequestKeys ids={to} />;
  switch (field) {
    case "merged_requests":
      return <li>{undone ? t`Unmerged the requests` : <Trans>Merged {others} into this</Trans>}</li>;
    case "merged_into":
      return <li>{to === null ? <Trans>Unmerged from {other}</Trans> : <Trans>Merged into {other}</Trans>}</li>;
    case "split_into":
      return <li>{to === null ? <Trans>Merged {other} back</Trans> : <Trans>Split off {other}</Trans>}</li>;
    case "snooze":
      return <li>{snoozeInWords(to as Snoozed, undone)}</li>;
    case "split_from":
      return (
        <li>
          <Trans>Split from {other}</Trans>
        </li>
      );
    default:
      return (
        <li>
          {own?.name ?? names()[field] ?? (field.startsWith("custom_field_values.") ? t`Deleted field` : field)}: <Value field={field} value={from} own={own} /> →{" "}
          <Value field={field} value={to} own={own} />
        </li>
      );
  }
}

type Snoozed = { until: string | null } | null;

function snoozeInWords(to: Snoozed, undone: boolean): string {
  if (to === null) return undone ? t`No longer snoozed` : t`Back from snooze`;
  if (to.until === null) return t`Snoozed until the customer answers`;
  const time = dateAndTime(to.until);
  return t`Snoozed until ${time}`;
}

function Value({ field, value, own }: { field: string; value: unknown; own: Parameters<typeof valueInWords>[0] }) {
  const teams = useQuery({ ...teamsQuery, enabled: field === "assigned_team" }).data;
  const customers = useQuery({ ...customersQuery, enabled: field === "customer_id" }).data;
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return <span className={classes.faint}>{t`none`}</span>;
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
  if (field === "assigned_team") return teams?.find((team) => team.id === value)?.name ?? `#${String(value)}`;
  if (field === "customer_id") return customers?.find((c) => c.id === value)?.name ?? `#${String(value)}`;
  if (field === "parent_request") return <RequestKey id={Number(value)} />;
  return valueInWords(own, value);
}

function Name({ id }: { id: string }) {
  return <>{useUser(id)?.name ?? "…"}</>;
}
