import { t } from "@lingui/core/macro";
import { Checkbox, Text } from "@mantine/core";
import { IconLock, IconRobot, IconShieldQuestion } from "@tabler/icons-react";
import { type ReactNode, memo } from "react";
import { sameAddress } from "../../../data/addresses";
import { useCustomer } from "../../../data/customers";
import type { Participant } from "../../../data/mail";
import { useUser } from "../../../data/people";
import type { Message, Request } from "../../../data/requests";
import { Html } from "../../../parts/Html";
import { Face } from "../../../parts/Face";
import { fullTime } from "../../../parts/time";
import { Tip } from "../../../parts/Tip";
import { locale } from "../../../texts";
import { Attachments } from "./Attachments";
import { Happenings } from "./Happenings";
import { MailLine } from "./MailLine";
import classes from "./Request.module.css";
import { Translate } from "./Translate";
import { Unverified } from "./Unverified";
import { idOf } from "./answers";
import type { Day, MessageGroup } from "./groups";

const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const dayName = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
const dayOfYear = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

function nameOfDay(at: string): string {
  const d = new Date(at);
  const today = new Date();
  if (d.toDateString() === today.toDateString()) return t`Today`;
  return (d.getFullYear() === today.getFullYear() ? dayName : dayOfYear).format(d);
}

/** The messages that are selected to be split off. */
export type Choosing = { chosen: Set<number>; toggle: (id: number) => void };

type Props = { request: Request; choosing: Choosing | null; newerThan: number; participants: Participant[] };

/** A day of a conversation. */
export function Messages({ day, request, choosing, newerThan, participants }: Props & { day: Day }) {
  return (
    <section>
      <h2 className={classes.day}>{nameOfDay(day.at)}</h2>
      {day.items.map((item) =>
        "happenings" in item ? (
          <Happenings key={item.key} of={item.happenings} />
        ) : (
          <Group key={item.key} group={item} request={request} choosing={choosing} newerThan={newerThan} participants={participants} />
        ),
      )}
    </section>
  );
}

function same(a: Props & { group: MessageGroup }, b: Props & { group: MessageGroup }): boolean {
  return (
    a.choosing === b.choosing &&
    a.request.author === b.request.author &&
    a.participants === b.participants &&
    a.request.state === b.request.state &&
    a.request.customer_id === b.request.customer_id &&
    a.group.messages.length === b.group.messages.length &&
    a.group.messages.every((m, i) => m === b.group.messages[i])
  );
}

/** What one person said in a row. A thousand of these stay as they are while something else of the request changes. */
const Group = memo(function Group({ group, request, choosing, newerThan, participants }: Props & { group: MessageGroup }) {
  return (
    <article
      className={classes.group}
      {...(group.isPrivate && !group.isUnverified && { "data-note": true })}
      {...(group.isUnverified && { "data-unverified": true })}
      {...(group.isResponder && !group.isPrivate && { "data-ours": true })}
      aria-label={privateWords(group) ?? t`Message`}
    >
      <Author group={group} request={request} participants={participants} />
      {group.messages.map((m, i) => (
        <One key={m.id} message={m} first={i === 0} choosing={choosing} isNew={m.id > newerThan}>
          {m.email?.status === "unverified" && <Unverified message={m} email={m.email} request={request} participants={participants} />}
          <Html html={m.html_body} />
          <Translate message={m} />
          <Attachments of={m.attachments} />
          {m.email && <MailLine message={m} email={m.email} request={request} participants={participants} />}
        </One>
      ))}
    </article>
  );
}, same);

/** What a message is that only the team sees; null for one that everybody sees. */
function privateWords(group: MessageGroup): string | null {
  if (group.isUnverified) return t`Unverified mail`;
  if (!group.isPrivate) return null;
  return group.from === null ? t`Internal note` : t`Automatic mail`;
}

function Author({ group, request, participants }: Pick<Props, "request" | "participants"> & { group: MessageGroup }) {
  const user = useUser(group.author);
  const customer = useCustomer(group.isResponder ? null : request.customer_id);
  const requester = group.isResponder ? t`Your team` : (request.author.name ?? request.author.email ?? t`The requester`);
  const wrote = group.from === null ? null : nameOf(group.from, request, participants);
  const name = user?.name ?? (group.author ? "…" : (wrote ?? requester));
  const words = privateWords(group);
  const Sign = group.isUnverified ? IconShieldQuestion : group.from === null ? IconLock : IconRobot;
  return (
    <header className={classes.author}>
      <Face id={group.author} name={name} size={24} />
      <Text span fw={600} size="sm" truncate dir="auto">
        {name}
      </Text>
      {group.from && !sameAddress(group.from, name) && (
        <Text span c="dimmed" size="xs" truncate>
          {group.from}
        </Text>
      )}
      {customer && !group.isUnverified && (
        <Text span c="dimmed" size="xs" truncate dir="auto">
          {customer.name}
        </Text>
      )}
      {words && (
        <span className={classes.private}>
          <Sign size={12} aria-hidden /> <span>{words}</span>
        </span>
      )}
      <Time at={group.messages[0]!.created_at} />
    </header>
  );
}

/** What somebody who wrote by mail is called, or else their address. */
function nameOf(from: string, request: Request, participants: Participant[]): string {
  const known = participants.find((p) => sameAddress(p.email, from))?.name ?? (sameAddress(from, request.author.email) ? request.author.name : null);
  return known ?? from;
}

export function Time({ at }: { at: string }) {
  return (
    <Tip label={fullTime(at)}>
      <time className={classes.time} dateTime={at}>
        {clock.format(new Date(at))}
      </time>
    </Tip>
  );
}

function One({ message, first, choosing, isNew, children }: { message: Message; first: boolean; choosing: Choosing | null; isNew: boolean; children: ReactNode }) {
  const beginning = message.text.slice(0, 60);
  const chosen = choosing?.chosen.has(message.id) ?? false;
  return (
    <div
      id={idOf(message.id)}
      tabIndex={-1}
      className={classes.message}
      {...(isNew && { "data-new": true })}
      {...(chosen && { "data-chosen": true })}
      title={first ? undefined : fullTime(message.created_at)}
    >
      {choosing && <Checkbox className={classes.choose!} size="xs" checked={chosen} onChange={() => choosing.toggle(message.id)} aria-label={t`Select: ${beginning}`} />}
      {children}
    </div>
  );
}
