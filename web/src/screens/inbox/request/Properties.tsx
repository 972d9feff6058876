import { t } from "@lingui/core/macro";
import { ActionIcon, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useCustomer } from "../../../data/customers";
import { useTeam, useUser } from "../../../data/people";
import { Keys } from "../../../frame/commands";
import { choiceAt } from "../../../parts/Choice";
import { Person } from "../../../parts/person";
import { PrioritySign, StateSign, priorityLooks, stateLook } from "../../../parts/request";
import type { Choosing } from "../Choices";
import { useOnOpen } from "../onOpen";
import classes from "./Panel.module.css";
import { Part, type PartProps, Row } from "./rows";

/** State, priority, who takes care, and whose it is. */
export function Properties({ request, mayChange }: Pick<PartProps, "request" | "mayChange">) {
  const assignee = useUser(request.assignee?.id);
  const team = useTeam(request.assigned_team?.id);
  const customer = useCustomer(request.customer_id);
  const person = request.assignee && <Person id={request.assignee.id} />;
  const to = request.customer_id !== null && (
    <ActionIcon component={Link} to="/customers/$id" params={{ id: String(request.customer_id) } as never} size="sm" aria-label={t`Open customer`}>
      <IconArrowRight size={14} aria-hidden />
    </ActionIcon>
  );
  const control = { mayChange };
  return (
    <Part title={t`Properties`}>
      <Control {...control} name={t`State`} what="state" keys="s" says={stateLook(request.state).label}>
        <StateSign state={request.state} labelled />
      </Control>
      <Control {...control} name={t`Priority`} what="priority" keys="p" says={priorityLooks[request.priority].label}>
        <PrioritySign priority={request.priority} labelled />
      </Control>
      <Control {...control} name={t`Assignee`} what="assignee" keys="a" says={request.assignee ? (assignee?.name ?? "…") : null} none={t`Unassigned`}>
        {person}
      </Control>
      <Control {...control} name={t`Team`} what="team" says={request.assigned_team ? (team?.name ?? "…") : null} />
      <Control {...control} name={t`Customer`} what="customer" says={request.customer_id === null ? null : (customer?.name ?? "…")} beside={to} />
    </Part>
  );
}

type ControlProps = {
  name: string;
  what: Choosing;
  keys?: string;
  mayChange: boolean;
  /** Its value in words; null without one. */
  says: string | null;
  none?: string;
  /** How the value is shown, if not by its words. */
  children?: ReactNode;
  beside?: ReactNode;
};

/** A property. Pressed, it opens what it can be set to. */
function Control({ name, what, keys, mayChange, says, none = t({ message: "None", context: "team or customer" }), children, beside }: ControlProps) {
  const { choose, choosing } = useOnOpen();
  // The name is in front of it for who hears it.
  const value =
    says === null ? (
      <span className={classes.faint}>{none}</span>
    ) : (
      (children ?? (
        <Text span size="sm" truncate dir="auto">
          {says}
        </Text>
      ))
    );
  return (
    <Row name={name}>
      {mayChange ? (
        <button type="button" className={classes.value} aria-haspopup="dialog" aria-expanded={choosing === what} {...choiceAt(what)} onClick={() => choose(what)}>
          <span className="visually-hidden">{name}: </span>
          {value}
          {keys && (
            <span className={classes.valueKey}>
              <Keys keys={keys} />
            </span>
          )}
        </button>
      ) : (
        value
      )}
      {beside}
    </Row>
  );
}
