// What a request can be given by a key: somebody to do it, a state, a priority,
// tags.
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
      return <SnoozeChoice {...props} title={`Snooze${howMany(props.requests)}; SLA clocks go on`} />;
  }
}

// The name stands beside it.
const sign = (look: Look) => <look.icon size={15} stroke={2} color={look.colour} aria-hidden />;

const howMany = (requests: ListedRequest[]) => (requests.length === 1 ? "" : ` of ${requests.length} requests`);

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
      (n, first) => (value === "closed" ? `${titled(n, first)} closed. You can undo this for ten minutes.` : `${titled(n, first)} set to ${stateLooks[value as State].label.toLowerCase()}.`),
    );
  return <Choice opened at={at} title={`State${howMany(requests)}`} options={options} chosen={shared(requests, (r) => r.state ?? "")} choose={choose} close={close} />;
}

function PriorityChoice({ requests, at, change, close }: Props) {
  const options = (["urgent", "high", "normal", "low"] as Priority[]).map((p) => ({ value: p, label: priorityLooks[p].label, sign: sign(priorityLooks[p]) }));
  const choose = (value: string) =>
    change(
      (r) => (r.priority === value ? null : { priority: value as Priority }),
      (n, first) => `${titled(n, first)} set to ${priorityLooks[value as Priority].label.toLowerCase()} priority.`,
    );
  return <Choice opened at={at} title={`Priority${howMany(requests)}`} options={options} chosen={shared(requests, (r) => r.priority)} choose={choose} close={close} />;
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
  const options: Option[] = [
    ...(myself && begins(`${myself.name} me`) ? [{ value: `user ${myself.id}`, label: `${myself.name} (me)`, sign: <Face id={myself.id} name={myself.name} /> }] : []),
    ...(begins("unassigned") ? [{ value: "none", label: "Unassigned", sign: <IconUserOff size={16} aria-hidden /> }] : []),
    ...people.filter((u) => u.id !== myself?.id).map((u) => ({ value: `user ${u.id}`, label: u.name, sign: <Face id={u.id} name={u.name} /> })),
    ...teams.filter((t) => begins(t.name)).map((t) => ({ value: `team ${t.id}`, label: t.name, sign: <IconUsersGroup size={16} aria-hidden /> })),
  ];
  const choose = (value: string) => {
    const [kind, id = ""] = value.split(" ");
    if (kind === "team") {
      const team = Number(id);
      const name = teams.find((t) => t.id === team)?.name ?? "the team";
      change(
        (r) => (r.assigned_team?.id === team ? null : { assigned_team: team }),
        (n, first) => `${titled(n, first)} assigned to ${name}.`,
      );
      return;
    }
    const user = kind === "none" ? null : (people.find((u) => u.id === id) ?? myself);
    if (user) client.setQueryData(userQuery(user.id).queryKey, user); // the row has the name at once
    change(
      (r) => ((r.assignee?.id ?? null) === (user?.id ?? null) ? null : { assignee: user?.id ?? null }),
      (n, first) => `${titled(n, first)} ${user ? `assigned to ${user.name}` : "unassigned"}.`,
    );
  };
  const chosen = [...shared(requests, (r) => (r.assignee ? `user ${r.assignee.id}` : "none")), ...shared(requests, (r) => `team ${r.assigned_team?.id}`)];
  const waiting = query !== typed.trim() || found.isPlaceholderData;
  return <Choice opened at={at} title={`Assignee${howMany(requests)}`} options={waiting ? null : options} chosen={chosen} choose={choose} close={close} onType={setTyped} />;
}

function TeamChoice({ requests, at, change, close }: Props) {
  const teams = useQuery(teamsQuery).data;
  const given = shared(requests, (r) => r.assigned_team?.id ?? null);
  const offered = teams?.filter((t) => t.is_active || given.includes(t.id));
  const options = offered ? [{ value: "none", label: "No team" }, ...offered.map((t) => ({ value: String(t.id), label: t.name, sign: <IconUsersGroup size={16} aria-hidden /> }))] : null;
  const choose = (value: string) => {
    const team = teams?.find((t) => String(t.id) === value) ?? null;
    change(
      (r) => ((r.assigned_team?.id ?? null) === (team?.id ?? null) ? null : { assigned_team: team?.id ?? null }),
      (n, first) => (team ? `${titled(n, first)} assigned to ${team.name}.` : `Team removed from ${titled(n, first)}.`),
    );
  };
  return <Choice opened at={at} title={`Team${howMany(requests)}`} options={options} chosen={given.map((id) => String(id ?? "none"))} choose={choose} close={close} />;
}

// More would be a long list that nobody reads: typing narrows it.
const mostCustomers = 50;

function CustomerChoice({ requests, at, change, close }: Props) {
  const [typed, setTyped] = useState("");
  const customers = useQuery(customersQuery).data;
  const begins = (name: string) => name.toLowerCase().includes(typed.trim().toLowerCase());
  const found = customers?.filter((c) => begins(c.name)).slice(0, mostCustomers);
  const options = found ? [...(begins("no customer") ? [{ value: "none", label: "No customer" }] : []), ...found.map((c) => ({ value: String(c.id), label: c.name }))] : null;
  const choose = (value: string) => {
    const customer = customers?.find((c) => String(c.id) === value) ?? null;
    change(
      (r) => (r.customer_id === (customer?.id ?? null) ? null : { customer_id: customer?.id ?? null }),
      (n, first) => (customer ? `${titled(n, first)} moved to ${customer.name}.` : `Customer removed from ${titled(n, first)}.`),
    );
  };
  const chosen = shared(requests, (r) => String(r.customer_id ?? "none"));
  return <Choice opened at={at} title={`Customer${howMany(requests)}`} options={options} chosen={chosen} choose={choose} close={close} onType={setTyped} />;
}

function TagChoice({ requests, at, change, close }: Props) {
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 150);
  const found = useQuery({ ...tagsFound(query), placeholderData: keepPreviousData });
  const everywhere = (requests[0]?.tags ?? []).filter((t) => requests.every((r) => r.tags.includes(t)));
  const names = query === "" ? [...new Set([...everywhere, ...(found.data ?? [])])] : (found.data ?? []);
  const one = requests.length === 1;
  const choose = (tag: string) => {
    if (everywhere.includes(tag))
      change(
        (r) => (r.tags.includes(tag) ? { tags: r.tags.filter((t) => t !== tag) } : null),
        (n, first) => `Tag “${tag}” removed from ${titled(n, first)}.`,
      );
    else
      change(
        (r) => (r.tags.includes(tag) ? null : { tags: [...r.tags, tag] }),
        (n, first) => `${titled(n, first)} tagged “${tag}”.`,
      );
  };
  return (
    <Choice
      opened
      at={at}
      title={`Tags${howMany(requests)}`}
      options={query !== typed.trim() || found.isPlaceholderData ? null : names.map((t) => ({ value: t, label: t }))}
      chosen={everywhere}
      choose={choose}
      several={one}
      close={close}
      onType={setTyped}
      make={(name) => ({ value: name, label: name })}
    />
  );
}
