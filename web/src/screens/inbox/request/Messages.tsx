import { Checkbox, Text, Tooltip } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { type ReactNode, memo } from "react";
import { useCustomer } from "../../../data/customers";
import { useUser } from "../../../data/people";
import type { Message, Request } from "../../../data/requests";
import { Html } from "../../../parts/Html";
import { Face } from "../../../parts/person";
import { fullTime } from "../../../parts/time";
import { Attachments } from "./Attachments";
import classes from "./Request.module.css";
import type { Day, MessageGroup } from "./groups";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayName = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const dayOfYear = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

function nameOfDay(at: string): string {
  const d = new Date(at);
  const today = new Date();
  if (d.toDateString() === today.toDateString()) return "Today";
  return (d.getFullYear() === today.getFullYear() ? dayName : dayOfYear).format(d);
}

/** The messages that are selected to be split off. */
export type Choosing = { chosen: Set<number>; toggle: (id: number) => void };

type Props = { request: Request; choosing: Choosing | null; newerThan: number };

/** A day of a conversation. */
export function Messages({ day, request, choosing, newerThan }: Props & { day: Day }) {
  return (
    <section>
      <h2 className={classes.day}>{nameOfDay(day.at)}</h2>
      {day.groups.map((g) => (
        <Group key={g.key} group={g} request={request} choosing={choosing} newerThan={newerThan} />
      ))}
    </section>
  );
}

function same(a: Props & { group: MessageGroup }, b: Props & { group: MessageGroup }): boolean {
  return (
    a.choosing === b.choosing &&
    a.request.author === b.request.author &&
    a.request.customer_id === b.request.customer_id &&
    a.group.messages.length === b.group.messages.length &&
    a.group.messages.every((m, i) => m === b.group.messages[i])
  );
}

/** What one person said in a row. A thousand of these stay as they are while something else of the request changes. */
const Group = memo(function Group({ group, request, choosing, newerThan }: Props & { group: MessageGroup }) {
  return (
    <article className={classes.group} {...(group.isPrivate && { "data-note": true })} aria-label={group.isPrivate ? "Internal note" : "Message"}>
      <Author group={group} request={request} />
      {group.messages.map((m, i) => (
        <One key={m.id} message={m} first={i === 0} choosing={choosing} isNew={m.id > newerThan}>
          <Html html={m.html_body} />
          <Attachments of={m.attachments} />
        </One>
      ))}
    </article>
  );
}, same);

function Author({ group, request }: { group: MessageGroup; request: Request }) {
  const user = useUser(group.author);
  const customer = useCustomer(group.isResponder ? null : request.customer_id);
  const requester = group.isResponder ? "Your team" : (request.author.name ?? request.author.email ?? "The requester");
  const name = user?.name ?? (group.author ? "…" : requester);
  return (
    <header className={classes.author}>
      <Face id={group.author} name={name} size={24} />
      <Text span fw={600} size="sm" truncate>
        {name}
      </Text>
      {customer && (
        <Text span c="dimmed" size="xs" truncate>
          {customer.name}
        </Text>
      )}
      {group.isPrivate && (
        <span className={classes.private}>
          <IconLock size={12} aria-hidden /> internal note
        </span>
      )}
      <Time at={group.messages[0]!.created_at} />
    </header>
  );
}

export function Time({ at }: { at: string }) {
  return (
    <Tooltip label={fullTime(at)}>
      <time className={classes.time} dateTime={at}>
        {clock.format(new Date(at))}
      </time>
    </Tooltip>
  );
}

function One({ message, first, choosing, isNew, children }: { message: Message; first: boolean; choosing: Choosing | null; isNew: boolean; children: ReactNode }) {
  const chosen = choosing?.chosen.has(message.id) ?? false;
  return (
    <div className={classes.message} {...(isNew && { "data-new": true })} {...(chosen && { "data-chosen": true })} title={first ? undefined : fullTime(message.created_at)}>
      {choosing && <Checkbox className={classes.choose!} size="xs" checked={chosen} onChange={() => choosing.toggle(message.id)} aria-label={`Select: ${message.text.slice(0, 60)}`} />}
      {children}
    </div>
  );
}
