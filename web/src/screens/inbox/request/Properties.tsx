import { ActionIcon, Select, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { customersQuery, useCustomer } from "../../../data/customers";
import { undoNewest } from "../../../data/history";
import { useMe } from "../../../data/me";
import { teamsQuery, useTeam } from "../../../data/people";
import type { Priority, State } from "../../../data/requests";
import { didWithUndo } from "../../../data/undo";
import { Person, PersonSelect } from "../../../parts/person";
import { PrioritySign, StateSign, priorityLooks, stateLooks } from "../../../parts/request";

import classes from "./Panel.module.css";
import { None, Part, type PartProps, Row } from "./rows";

const control = { size: "xs", clearSectionMode: "clear", classNames: { input: classes.control! }, comboboxProps: { shadow: "md", width: 220, position: "bottom-end" as const } } as const;

/** State, priority, who takes care, and whose it is. */
export function Properties({ request, mayChange, change }: PartProps) {
  const client = useQueryClient();
  const account = useMe()?.account;
  const team = useTeam(request.assigned_team?.id);
  const teams = useQuery(teamsQuery).data ?? [];
  const state = request.state;
  const states = (Object.keys(stateLooks) as State[]).filter((s) => s !== "on_hold" || account?.on_hold_allowed !== false || state === "on_hold");

  const setState = (to: State) =>
    change({ state: to }, () => {
      if (to === "closed") didWithUndo("Request closed. You can undo this for ten minutes.", () => void undoNewest(client, request.id, "request.updated"));
    });
  return (
    <Part title="Properties">
      <Row name="State">
        {mayChange ? (
          <Select
            {...control}
            aria-label="State"
            allowDeselect={false}
            placeholder="Not a request"
            leftSection={<StateSign state={state} />}
            value={state}
            onChange={(v) => v && v !== state && setState(v as State)}
            data={states.map((s) => ({ value: s, label: stateLooks[s].label }))}
            renderOption={({ option }) => <StateSign state={option.value as State} labelled />}
          />
        ) : (
          <StateSign state={state} labelled />
        )}
      </Row>
      <Row name="Priority">
        {mayChange ? (
          <Select
            {...control}
            aria-label="Priority"
            allowDeselect={false}
            leftSection={<PrioritySign priority={request.priority} />}
            value={request.priority}
            onChange={(v) => v && change({ priority: v as Priority })}
            data={(Object.keys(priorityLooks) as Priority[]).map((p) => ({ value: p, label: priorityLooks[p].label }))}
            renderOption={({ option }) => <PrioritySign priority={option.value as Priority} labelled />}
          />
        ) : (
          <PrioritySign priority={request.priority} labelled />
        )}
      </Row>
      <Row name="Assignee">
        {mayChange ? (
          <PersonSelect
            {...control}
            aria-label="Assignee"
            placeholder="Unassigned"
            assigneeIn={request.collection.id}
            value={request.assignee?.id ?? null}
            onChange={(id) => change({ assignee: id })}
          />
        ) : (
          <Person id={request.assignee?.id ?? null} />
        )}
      </Row>
      <Row name="Team">
        {mayChange ? (
          <Select
            {...control}
            aria-label="Team"
            placeholder="None"
            clearable
            searchable
            nothingFoundMessage="No team found"
            value={request.assigned_team ? String(request.assigned_team.id) : null}
            onChange={(v) => change({ assigned_team: v === null ? null : Number(v) })}
            data={teams.filter((t) => t.is_active || t.id === request.assigned_team?.id).map((t) => ({ value: String(t.id), label: t.name }))}
          />
        ) : (
          <Text size="sm">{team?.name ?? "–"}</Text>
        )}
      </Row>
      <Customer request={request} mayChange={mayChange} change={change} />
    </Part>
  );
}

function Customer({ request, mayChange, change }: PartProps) {
  const customer = useCustomer(request.customer_id);
  const customers = useQuery(customersQuery).data ?? [];
  const to = request.customer_id !== null && (
    <ActionIcon component={Link} to="/customers/$id" params={{ id: String(request.customer_id) } as never} size="sm" aria-label="Open customer">
      <IconArrowRight size={14} aria-hidden />
    </ActionIcon>
  );
  return (
    <Row name="Customer">
      {mayChange ? (
        <Select
          {...control}
          aria-label="Customer"
          placeholder="None"
          clearable
          searchable
          limit={50}
          nothingFoundMessage="No customer found"
          value={request.customer_id === null ? null : String(request.customer_id)}
          onChange={(v) => change({ customer_id: v === null ? null : Number(v) })}
          data={customers.map((c) => ({ value: String(c.id), label: c.name }))}
        />
      ) : customer ? (
        <Text size="sm">{customer.name}</Text>
      ) : (
        <None />
      )}
      {to}
    </Row>
  );
}
