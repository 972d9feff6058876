import { UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconChevronRight, IconPointFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { collectionsQuery } from "../../../data/collections";
import { customersQuery } from "../../../data/customers";
import { teamsQuery, useUser } from "../../../data/people";
import type { Priority, State } from "../../../data/requests";
import { priorityLooks, stateLooks } from "../../../parts/request";
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
    <ul className={classes.happened} aria-label="What happened">
      {of.length > few && (
        <li>
          <UnstyledButton className={classes.unfold!} aria-expanded={opened} onClick={() => setOpened(!opened)}>
            <IconChevronRight size={12} aria-hidden data-open={opened || undefined} />
            <span>
              {of.length} changes <bdi>{by(actorsOf(of))}</bdi>
            </span>
          </UnstyledButton>
        </li>
      )}
      {!folded && of.map((h) => <li key={h.key}>{h.kind === "missed" ? <Missed of={h} /> : <Changed of={h} />}</li>)}
    </ul>
  );
}

function by([first, second, ...others]: string[]): string {
  if (!first) return "";
  if (!second) return `by ${first}`;
  return others.length === 0 ? `by ${first} and ${second}` : `by ${first} and ${others.length + 1} others`;
}

function Missed({ of }: { of: Extract<Happening, { kind: "missed" }> }) {
  return (
    <>
      <IconAlertTriangle size={12} aria-hidden color="var(--bad)" />
      <span data-missed>The {of.target} was overdue</span>
      <Time at={of.at} />
    </>
  );
}

function Changed({ of }: { of: Extract<Happening, { kind: "changed" }> }) {
  return (
    <>
      <IconPointFilled size={12} aria-hidden />
      <span>
        <bdi className={classes.actor}>{of.actor.name}</bdi>{" "}
        {of.changes.map((c, i) => (
          <Fragment key={c.field}>
            {i > 0 && (i === of.changes.length - 1 ? " and " : ", ")}
            <Phrase of={c} actor={of.actor.name} />
          </Fragment>
        ))}
      </span>
      <Time at={of.at} />
    </>
  );
}

/** What somebody did, after their name. */
function Phrase({ of: { field, from, to }, actor }: { of: Change; actor: string }) {
  const nothing = to === null || to === undefined;
  switch (field) {
    case "state":
      return <>{stateInWords(from as State | null, to as State | null)}</>;
    case "not_a_request_state":
      return <>{nothing ? "marked it as a request" : "marked it as not a request"}</>;
    case "assignee":
      return nothing ? <>unassigned it</> : <AssignedTo id={String(to)} actor={actor} />;
    case "assigned_team":
      return nothing ? <>took it away from its team</> : <GivenToTeam id={Number(to)} />;
    case "priority":
      return <>set the priority to {priorityLooks[to as Priority]?.label.toLowerCase() ?? String(to)}</>;
    case "title":
      return (
        <>
          renamed it to “<bdi>{String(to)}</bdi>”
        </>
      );
    case "customer_id":
      return nothing ? <>removed the customer</> : <WithCustomer id={Number(to)} />;
    case "collection_id":
      return <MovedTo id={Number(to)} />;
    case "parent_request":
      return nothing ? (
        <>removed the parent</>
      ) : (
        <>
          made <RequestKey id={Number(to)} /> its parent
        </>
      );
    case "merged_requests":
      return (
        <>
          merged <RequestKeys ids={to} /> into it
        </>
      );
    case "merged_into":
      return (
        <>
          merged it into <RequestKey id={Number(to)} />
        </>
      );
    case "split_into":
      return (
        <>
          split <RequestKey id={Number(to)} /> off
        </>
      );
    case "split_from":
      return (
        <>
          split it off <RequestKey id={Number(to)} />
        </>
      );
    default:
      return <>changed it</>;
  }
}

function stateInWords(from: State | null, to: State | null): string {
  if (to === "solved") return "solved it";
  if (to === "closed") return "closed it";
  if (to === "open" && (from === "solved" || from === "closed")) return "reopened it";
  return to === null ? "took its state away" : `set the state to ${stateLooks[to].label.toLowerCase()}`;
}

function AssignedTo({ id, actor }: { id: string; actor: string }) {
  const name = useUser(id)?.name ?? "…";
  if (name === actor) return <>took it</>;
  return (
    <>
      assigned it to <bdi>{name}</bdi>
    </>
  );
}

function GivenToTeam({ id }: { id: number }) {
  const name = useQuery(teamsQuery).data?.find((t) => t.id === id)?.name;
  return (
    <>
      gave it to <bdi>{name ?? "a team"}</bdi>
    </>
  );
}

function WithCustomer({ id }: { id: number }) {
  const name = useQuery(customersQuery).data?.find((c) => c.id === id)?.name;
  return (
    <>
      set the customer to <bdi>{name ?? `#${id}`}</bdi>
    </>
  );
}

function MovedTo({ id }: { id: number }) {
  const name = useQuery(collectionsQuery).data?.find((c) => c.id === id)?.name;
  return (
    <>
      moved it to <bdi>{name ?? "another collection"}</bdi>
    </>
  );
}
