// What a request can be given by a key: somebody to do it, a state, a priority,
// tags.
import { plural, t } from "@lingui/core/macro";
import { useDebouncedValue } from "@mantine/hooks";
import { IconUserOff, IconUsersGroup } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { customersQuery } from "../../data/customers";
import { useMe } from "../../data/me";
import { assigneesFound, teamsQuery, userQuery } from "../../data/people";
import type { ListedRequest, Priority, RequestChange, State } from "../../data/requests";
import { tagsFound } from "../../data/tags";
import { Choice, type Option } from "../../parts/Choice";
import { type Look, priorityLooks, stateLooks } from "../../parts/request";
import { Face } from "../../parts/Face";
import { SnoozeChoice } from "./SnoozeChoice";
import { titled } from "./useDoing";

export type Choosing = "assignee" | "team" | "state" | "priority" | "customer" | "tags" | "snooze";

type Change = (change: (r: ListedRequest) => RequestChange | null, did: (n: number, first: ListedRequest) => string) => void;

type Props = {
  what: Choosing;
  requests: ListedRequest[];
  /** Where it opens. */
  at: readonly string[];
  change: Change;
  close: () => void;
};

export function Choices(props: Props) {
  switch (props.what) {
    case "assignee":
      return <AssigneeChoice {...props} />;
    case "team":
      return <TeamChoice {...props} />;
    case "customer":
      return <CustomerChoice {...props} />;
    case "tags":
      return <TagChoice {...props} />;
    case "state":
      return <StateChoice {...props} />;
    case "priority":
      return <PriorityChoice {...props} />;
    case "snooze":
      return <SnoozeChoice {...props} title={t`${plural({ count: props.requests.length }, { one: "Snooze; SLA clocks keep running", other: "Snooze # requests; SLA clocks keep running" })}`} />;
  }
}

// The name stands beside it.
const sign = (look: Look) => <look.icon size={15} stroke={2} color={look.colour} aria-hidden />;

/** What all of them have. */
function shared<T>(requests: ListedRequest[], of: (r: ListedRequest) => T): T[] {
  const first = requests[0];
  if (!first) return [];
  const value = of(first);
  return requests.every((r) => of(r) === value) ? [value] : [];
}

function StateChoice({ requests, at, change, close }: Props) {
  const mayHold = useMe()?.account.on_hold_allowed !== false || requests.some((r) => r.state === "on_hold");
  const options = (Object.keys(stateLooks) as State[]).filter((s) => s !== "on_hold" || mayHold).map((s) => ({ value: s, label: stateLooks[s].label, sign: sign(stateLooks[s]) }));
  const choose = (value: string) =>
    change(
      (r) => (r.state === value ? null : { state: value as State }),
      // A closed request cannot be changed, but closing it can be undone, for so long.
      (n, first) => {
        const requests = titled(n, first);
        const state = stateLooks[value as State].label;
        return value === "closed" ? t`${requests} closed. You can undo this for ten minutes.` : t`${requests} set to ${state}.`;
      },
    );
  return (
    <Choice
      opened
      at={at}
      title={t`${plural({ count: requests.length }, { one: "State", other: "State of # requests" })}`}
      options={options}
      chosen={shared(requests, (r) => r.state ?? "")}
      choose={choose}
      close={close}
    />
  );
}

function PriorityChoice({ requests, at, change, close }: Props) {
  const options = (["urgent", "high", "normal", "low"] as Priority[]).map((p) => ({ value: p, label: priorityLooks[p].label, sign: sign(priorityLooks[p]) }));
  const choose = (value: string) =>
    change(
      (r) => (r.priority === value ? null : { priority: value as Priority }),
      (n, first) => {
        const requests = titled(n, first);
        const priority = priorityLooks[value as Priority].label;
        return t`Priority of ${requests} set to ${priority}.`;
      },
    );
  return (
    <Choice
      opened
      at={at}
      title={t`${plural({ count: requests.length }, { one: "Priority", other: "Priority of # requests" })}`}
      options={options}
      chosen={shared(requests, (r) => r.priority)}
      choose={choose}
      close={close}
    />
  );
}

function AssigneeChoice({ requests, at, change, close }: Props) {
  const client = useQueryClient();
  const me = useMe();
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 150);
  const found = useQuery({ ...assigneesFound(query, requests[0]?.collection.id ?? null), placeholderData: keepPreviousData });
  const teams = useQuery(teamsQuery).data ?? [];
  const begins = (name: string) => name.toLowerCase().includes(typed.trim().toLowerCase());
  const people = found.data ?? [];
  const myself = me?.user ?? null;
  const myName = myself?.name ?? "";
  const itsMe = t`${myName} (me)`;
  const nobody = t`Unassigned`;
  const options: Option[] = [
    ...(myself && begins(itsMe) ? [{ value: `user ${myself.id}`, label: itsMe, sign: <Face id={myself.id} name={myself.name} /> }] : []),
    ...(begins(nobody) ? [{ value: "none", label: nobody, sign: <IconUserOff size={16} aria-hidden /> }] : []),
    ...people.filter((u) => u.id !== myself?.id).map((u) => ({ value: `user ${u.id}`, label: u.name, sign: <Face id={u.id} name={u.name} /> })),
    ...teams.filter((team) => begins(team.name)).map((team) => ({ value: `team ${team.id}`, label: team.name, sign: <IconUsersGroup size={16} aria-hidden /> })),
  ];
  const choose = (value: string) => {
    const [kind, id = ""] = value.split(" ");
    if (kind === "team") {
      const team = Number(id);
      const name = teams.find(({ id }) => id === team)?.name ?? t`the team`;
      change(
        (r) => (r.assigned_team?.id === team ? null : { assigned_team: team }),
        (n, first) => {
          const requests = titled(n, first);
          return t`${requests} assigned to ${name}.`;
        },
      );
      return;
    }
    const user = kind === "none" ? null : (people.find((u) => u.id === id) ?? myself);
    if (user) client.setQueryData(userQuery(user.id).queryKey, user); // the row has the name at once
    change(
      (r) => ((r.assignee?.id ?? null) === (user?.id ?? null) ? null : { assignee: user?.id ?? null }),
      (n, first) => {
        const requests = titled(n, first);
        const name = user?.name ?? "";
        return user ? t`${requests} assigned to ${name}.` : t`${requests} unassigned.`;
      },
    );
  };
  const chosen = [...shared(requests, (r) => (r.assignee ? `user ${r.assignee.id}` : "none")), ...shared(requests, (r) => `team ${r.assigned_team?.id}`)];
  const waiting = query !== typed.trim() || found.isPlaceholderData;
  return (
    <Choice
      opened
      at={at}
      title={t`${plural({ count: requests.length }, { one: "Assignee", other: "Assignee of # requests" })}`}
      options={waiting ? null : options}
      chosen={chosen}
      choose={choose}
      close={close}
      onType={setTyped}
    />
  );
}

function TeamChoice({ requests, at, change, close }: Props) {
  const teams = useQuery(teamsQuery).data;
  const given = shared(requests, (r) => r.assigned_team?.id ?? null);
  const offered = teams?.filter((team) => team.is_active || given.includes(team.id));
  const options = offered ? [{ value: "none", label: t`No team` }, ...offered.map(({ id, name }) => ({ value: String(id), label: name, sign: <IconUsersGroup size={16} aria-hidden /> }))] : null;
  const choose = (value: string) => {
    const team = teams?.find(({ id }) => String(id) === value) ?? null;
    change(
      (r) => ((r.assigned_team?.id ?? null) === (team?.id ?? null) ? null : { assigned_team: team?.id ?? null }),
      (n, first) => {
        const requests = titled(n, first);
        const name = team?.name ?? "";
        return team ? t`${requests} assigned to ${name}.` : t`Team removed from ${requests}.`;
      },
    );
  };
  return (
    <Choice
      opened
      at={at}
      title={t`${plural({ count: requests.length }, { one: "Team", other: "Team of # requests" })}`}
      options={options}
      chosen={given.map((id) => String(id ?? "none"))}
      choose={choose}
      close={close}
    />
  );
}

// More would be a long list that nobody reads: typing narrows it.
const mostCustomers = 50;

function CustomerChoice({ requests, at, change, close }: Props) {
  const [typed, setTyped] = useState("");
  const customers = useQuery(customersQuery).data;
  const begins = (name: string) => name.toLowerCase().includes(typed.trim().toLowerCase());
  const nobody = t`No customer`;
  const found = customers?.filter((c) => begins(c.name)).slice(0, mostCustomers);
  const options = found ? [...(begins(nobody) ? [{ value: "none", label: nobody }] : []), ...found.map((c) => ({ value: String(c.id), label: c.name }))] : null;
  const choose = (value: string) => {
    const customer = customers?.find((c) => String(c.id) === value) ?? null;
    change(
      (r) => (r.customer_id === (customer?.id ?? null) ? null : { customer_id: customer?.id ?? null }),
      (n, first) => {
        const requests = titled(n, first);
        const name = customer?.name ?? "";
        return customer ? t`${requests} moved to ${name}.` : t`Customer removed from ${requests}.`;
      },
    );
  };
  const chosen = shared(requests, (r) => String(r.customer_id ?? "none"));
  return (
    <Choice
      opened
      at={at}
      title={t`${plural({ count: requests.length }, { one: "Customer", other: "Customer of # requests" })}`}
      options={options}
      chosen={chosen}
      choose={choose}
      close={close}
      onType={setTyped}
    />
  );
}

function TagChoice({ requests, at, change, close }: Props) {
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 150);
  const found = useQuery({ ...tagsFound(query), placeholderData: keepPreviousData });
  const everywhere = (requests[0]?.tags ?? []).filter((tag) => requests.every((r) => r.tags.includes(tag)));
  const names = query === "" ? [...new Set([...everywhere, ...(found.data ?? [])])] : (found.data ?? []);
  const one = requests.length === 1;
  const choose = (tag: string) => {
    if (everywhere.includes(tag))
      change(
        (r) => (r.tags.includes(tag) ? { tags: r.tags.filter((other) => other !== tag) } : null),
        (n, first) => {
          const requests = titled(n, first);
          return t`Tag “${tag}” removed from ${requests}.`;
        },
      );
    else
      change(
        (r) => (r.tags.includes(tag) ? null : { tags: [...r.tags, tag] }),
        (n, first) => {
          const requests = titled(n, first);
          return t`${requests} tagged “${tag}”.`;
        },
      );
  };
  return (
    <Choice
      opened
      at={at}
      title={t`${plural({ count: requests.length }, { one: "Tags", other: "Tags of # requests" })}`}
      options={query !== typed.trim() || found.isPlaceholderData ? null : names.map((tag) => ({ value: tag, label: tag }))}
      chosen={everywhere}
      choose={choose}
      several={one}
      close={close}
      onType={setTyped}
      make={(name) => ({ value: name, label: name })}
    />
  );
}
