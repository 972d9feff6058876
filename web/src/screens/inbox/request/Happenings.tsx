import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconChevronRight, IconPointFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { collectionsQuery } from "../../../data/collections";
import { customersQuery } from "../../../data/customers";
import { teamsQuery, useUser } from "../../../data/people";
import type { Priority, State } from "../../../data/requests";
import { priorityLooks, stateLooks } from "../../../parts/request";
import { locale } from "../../../texts";
import { Time } from "./Messages";
import { RequestKey, RequestKeys } from "./RequestKey";
import classes from "./Request.module.css";
import { type Change, type Happening, actorsOf } from "./happenings";

// More than this between two messages is folded.
const few = 3;

/** What happened between two messages, folded when it is much. */
export function Happenings({ of }: { of: Happening[] }) {
  const [opened, setOpened] = useState(false);
  const folded = of.length > few && !opened;
  return (
    <ul className={classes.happened} aria-label={t`What happened`}>
      {of.length > few && (
        <li>
          <UnstyledButton className={classes.unfold!} aria-expanded={opened} onClick={() => setOpened(!opened)}>
            <IconChevronRight size={12} aria-hidden data-open={opened || undefined} />
            <span>
              <bdi>{changesBy(of.length, actorsOf(of))}</bdi>
            </span>
          </UnstyledButton>
        </li>
      )}
      {!folded && of.map((h) => <li key={h.key}>{h.kind === "missed" ? <Missed of={h} /> : <Changed of={h} />}</li>)}
    </ul>
  );
}

function changesBy(count: number, [first, second, ...others]: string[]): string {
  const changes = t`${plural(count, { one: "# change", other: "# changes" })}`;
  if (!first) return changes;
  if (!second) return t`${changes} by ${first}`;
  return others.length === 0
    ? t`${changes} by ${first} and ${second}`
    : t`${plural({ count: others.length + 1 }, { one: `${changes} by ${first} and # other`, other: `${changes} by ${first} and # others` })}`;
}

function Missed({ of }: { of: Extract<Happening, { kind: "missed" }> }) {
  return (
    <>
      <IconAlertTriangle size={12} aria-hidden color="var(--bad)" />
      <span data-missed>{of.target === "first_response" ? t`The first response was overdue` : t`The resolution was overdue`}</span>
      <Time at={of.at} />
    </>
  );
}

const list = new Intl.ListFormat(locale);

function Changed({ of }: { of: Extract<Happening, { kind: "changed" }> }) {
  const actor = of.actor.name;
  const parts = list.formatToParts(of.changes.map((_, i) => String(i)));
  return (
    <>
      <IconPointFilled size={12} aria-hidden />
      <span>
        <bdi className={classes.actor}>{actor}</bdi> {parts.map(({ type, value }, i) => (type === "element" ? <Phrase key={i} of={of.changes[Number(value)]!} actor={actor} /> : value))}
      </span>
      <Time at={of.at} />
    </>
  );
}

/** What somebody did, after their name: in German "hat sie gelöst". Several are joined by commas and "and". */
function Phrase({ of: { field, from, to }, actor }: { of: Change; actor: string }) {
  const nothing = to === null || to === undefined;
  // What people wrote goes into <Trans> as an element: in a text, tags would be taken for those of <Trans>.
  const title = <bdi>{String(to)}</bdi>;
  const other = <RequestKey id={Number(to)} />;
  const others = <RequestKeys ids={to} />;
  switch (field) {
    case "state":
      return <>{stateInWords(from as State | null, to as State | null)}</>;
    case "not_a_request_state":
      return <>{nothing ? t`marked it as a request` : t`marked it as not a request`}</>;
    case "assignee":
      return nothing ? <>{t`unassigned it`}</> : <AssignedTo id={String(to)} actor={actor} />;
    case "assigned_team":
      return nothing ? <>{t`removed the team`}</> : <GivenToTeam id={Number(to)} />;
    case "priority":
      return <>{prioritySet(to as Priority)}</>;
    case "title":
      return <Trans>renamed it to “{title}”</Trans>;
    case "customer_id":
      return nothing ? <>{t`removed the customer`}</> : <WithCustomer id={Number(to)} />;
    case "collection_id":
      return <MovedTo id={Number(to)} />;
    case "parent_request":
      return nothing ? <>{t`removed the parent`}</> : <Trans>made {other} its parent</Trans>;
    case "merged_requests":
      return <Trans>merged {others} into it</Trans>;
    case "merged_into":
      return <Trans>merged it into {other}</Trans>;
    case "split_into":
      return <Trans>split off {other}</Trans>;
    case "split_from":
      return <Trans>split it off from {other}</Trans>;
    default:
      return <>{t`changed it`}</>;
  }
}

function stateInWords(from: State | null, to: State | null): string {
  if (to === "solved") return t`solved it`;
  if (to === "closed") return t`closed it`;
  if (to === "open" && (from === "solved" || from === "closed")) return t`reopened it`;
  if (to === null) return t`removed the state`;
  const state = stateLooks[to].label;
  return t`set the state to ${state}`;
}

function prioritySet(to: Priority): string {
  const priority = priorityLooks[to]?.label ?? String(to);
  return t`set the priority to ${priority}`;
}

function AssignedTo({ id, actor }: { id: string; actor: string }) {
  const name = useUser(id)?.name ?? "…";
  if (name === actor) return <>{t`took it`}</>;
  const person = <bdi>{name}</bdi>;
  return <Trans>assigned it to {person}</Trans>;
}

function GivenToTeam({ id }: { id: number }) {
  const name = useQuery(teamsQuery).data?.find((team) => team.id === id)?.name ?? `#${id}`;
  const team = <bdi>{name}</bdi>;
  return <Trans>assigned it to the team {team}</Trans>;
}

function WithCustomer({ id }: { id: number }) {
  const name = useQuery(customersQuery).data?.find((c) => c.id === id)?.name ?? `#${id}`;
  const customer = <bdi>{name}</bdi>;
  return <Trans>set the customer to {customer}</Trans>;
}

function MovedTo({ id }: { id: number }) {
  const name = useQuery(collectionsQuery).data?.find((c) => c.id === id)?.name ?? t`another collection`;
  const collection = <bdi>{name}</bdi>;
  return <Trans>moved it to {collection}</Trans>;
}
