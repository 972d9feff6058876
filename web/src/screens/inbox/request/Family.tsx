import { plural, t } from "@lingui/core/macro";
import { ActionIcon, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconPencil, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { requestsToChoose } from "../../../data/merge";
import { requestQuery } from "../../../data/requests";
import { Choice, choiceAt } from "../../../parts/Choice";
import { StateSign } from "../../../parts/request";
import classes from "./Panel.module.css";
import { Part, type PartProps } from "./rows";

// More than these are a list of their own, and not a glance.
const most = 20;

/** The request that this is a part of, and those that are parts of it. */
export function Family({ request, mayChange, change }: PartProps) {
  const [choosing, setChoosing] = useState(false);
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 150);
  const found = useQuery({ ...requestsToChoose(query), enabled: choosing });
  const parent = request.parent_request ?? null;
  const children = request.child_requests ?? [];
  if (parent === null && children.length === 0 && !mayChange) return null;
  const offered = (found.data ?? []).filter((r) => r.id !== request.id && !children.includes(r.id));
  return (
    <Part
      title={t({ message: "Parent", context: "request" })}
      action={
        mayChange && (
          <ActionIcon size="sm" aria-label={t`Set parent request`} {...choiceAt("parent")} onClick={() => setChoosing(true)}>
            <IconPencil size={14} aria-hidden />
          </ActionIcon>
        )
      }
    >
      {parent === null ? (
        <Text c="dimmed" size="sm">
          {t`None`}
        </Text>
      ) : (
        <div className={classes.listed}>
          <Relative id={parent} />
          {mayChange && (
            <ActionIcon size="sm" aria-label={t`Remove parent`} onClick={() => change({ parent_request: null })}>
              <IconX size={12} aria-hidden />
            </ActionIcon>
          )}
        </div>
      )}
      {children.length > 0 && (
        <>
          <h3 className={classes.subhead}>{t`Child requests`}</h3>
          <ul className={classes.plainList}>
            {children.slice(0, most).map((id) => (
              <li key={id} className={classes.listed}>
                <Relative id={id} />
              </li>
            ))}
          </ul>
          {children.length > most && (
            <Text c="dimmed" size="xs">
              {t`${plural({ count: children.length - most }, { one: "and # more", other: "and # more" })}`}
            </Text>
          )}
        </>
      )}
      <Choice
        opened={choosing}
        at={["parent"]}
        close={() => setChoosing(false)}
        title={t`Parent request`}
        chosen={parent === null ? [] : [String(parent)]}
        choose={(id) => change({ parent_request: Number(id) })}
        onType={setTyped}
        options={query === typed.trim() && found.data ? offered.map((r) => ({ value: String(r.id), label: `${r.key} ${r.title}`, sign: <StateSign state={r.state} /> })) : null}
      />
    </Part>
  );
}

function Relative({ id }: { id: number }) {
  const relative = useQuery(requestQuery(id)).data;
  return (
    <Link className={classes.relative} to="/requests/$id" params={{ id: relative?.key ?? String(id) }} search>
      {relative && <StateSign state={relative.state} />}
      <span className={classes.faint}>{relative?.key}</span>
      <span className={classes.relativeTitle} dir="auto">
        {relative?.title}
      </span>
    </Link>
  );
}
