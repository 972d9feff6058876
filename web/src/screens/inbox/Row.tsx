import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { IconArrowBackUp, IconClockExclamation, IconMail, IconMailExclamation, IconPencil, IconZzz } from "@tabler/icons-react";
import { memo, useEffect, useRef } from "react";
import type { ListedRequest } from "../../data/requests";
import { Marked } from "../../parts/Marked";
import { priorityLooks, stateLook } from "../../parts/request";
import { backReason, snoozedUntil } from "../../parts/snooze";
import { fullTime, pointInTime, shortLength, useNow } from "../../parts/time";
import { RowFace } from "./faces";
import classes from "./List.module.css";

type Props = {
  request: ListedRequest;
  href: string;
  top: number;
  height: number;
  index: number;
  /** The time that the list is ordered by. */
  at: string;
  /** It came by mail. */
  byMail: boolean;
  compact: boolean;
  /** Where the keys are: the row that they act on. */
  here: boolean;
  /** Whether the keys brought it here: then a screen reader follows. */
  focused: boolean;
  open: boolean;
  chosen: boolean;
  /** Something was begun for it and not sent. */
  draft: boolean;
  /** The assignee's picture, if there is one. */
  picture: string | undefined;
  /** It does not fit what the list shows any more. */
  gone: boolean;
};

/** How high a row is. */
export const heights = { comfortable: 78, compact: 33 };

/** A request on the list. There may be thousands, so it is cheap: no hooks that look something up, no tooltips. */
export const Row = memo(function Row({ request, href, top, height, index, at, byMail, compact, here, focused, open, chosen, draft, picture, gone }: Props) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (focused) link.current?.focus({ preventScroll: true });
  }, [focused]);
  const { title } = request;
  const assignee = request.assignee?.name ?? "";
  const found = request.highlights?.messages[0];
  const state = stateLook(request.state);
  const priority = priorityLooks[request.priority];
  const level = priority.label;
  const who = [request.customer?.name ?? request.author_email, request.assignee?.name || request.assigned_team?.name || "–"].filter(Boolean).join(" · ");
  return (
    <li
      className={classes.row}
      style={{ height, transform: `translateY(${top}px)` }}
      aria-posinset={index + 1}
      aria-setsize={-1}
      data-id={request.id}
      data-compact={compact || undefined}
      data-here={here || undefined}
      data-open={open || undefined}
      data-chosen={chosen || undefined}
      data-gone={gone || undefined}
      data-unread={request.unread || undefined}
    >
      <span className={classes.gutter}>
        {request.unread && <span className={classes.dot} role="img" aria-label={t`Unread`} />}
        <input type="checkbox" className={classes.box} checked={chosen} readOnly aria-label={t`Select ${title}`} tabIndex={-1} />
      </span>
      {!compact && <RowFace square name={request.customer?.name ?? request.author_email ?? ""} />}
      <div className={classes.text}>
        <div className={classes.line}>
          <state.icon size={14} stroke={2} color={state.colour} role="img" aria-label={state.label} className={classes.sign} />
          {compact && <span className={classes.key}>{request.key}</span>}
          <a ref={link} href={href} className={classes.title} dir="auto" aria-current={open ? "true" : undefined}>
            {request.highlights?.title ? <Marked html={request.highlights.title} /> : request.title}
          </a>
          {compact && <SnoozeSign request={request} compact />}
          <MailSign status={request.email_status} byMail={byMail} />
          {request.priority !== "normal" && <priority.icon size={14} stroke={2} color={priority.colour} role="img" aria-label={t`${level} priority`} className={classes.sign} />}
          {compact && draft && <IconPencil size={13} color="var(--text)" role="img" aria-label={t`Draft`} className={classes.sign} />}
          {compact && request.assignee && <RowFace name={request.assignee.name} picture={picture} label={t`Assigned to ${assignee}`} />}
          {compact && <Due due={request.next_due} />}
          <Age at={at} />
        </div>
        {!compact && (
          <div className={classes.line}>
            <span className={classes.key}>{request.key}</span>
            <span className={classes.who} dir="auto">
              {who}
            </span>
            {gone && <span className={classes.left}>{t`left this view`}</span>}
            <SnoozeSign request={request} />
            <Due due={request.next_due} />
            {request.assignee && <RowFace name={request.assignee.name} picture={picture} />}
          </div>
        )}
        {!compact && !found && (
          <div className={classes.preview}>
            {draft && <span className={classes.draft}>{t`Draft`}</span>}
            <bdi>{previewOf(request.last_message)}</bdi>
          </div>
        )}
        {found && (
          <div className={classes.found}>
            {found.is_private && t`Internal note:`}{" "}
            <bdi>
              <Marked html={found.text} />
            </bdi>
          </div>
        )}
      </div>
    </li>
  );
});

/** That a request is snoozed, or why it is back. */
function SnoozeSign({ request, compact }: { request: ListedRequest; compact?: boolean }) {
  const { snooze } = request;
  if (!snooze) return null;
  const words = snooze.back ? backReason(request) : snoozedUntil(snooze);
  const Icon = snooze.back ? IconArrowBackUp : IconZzz;
  if (compact) return <Icon size={14} stroke={2} color={snooze.back ? "var(--text)" : "var(--faint)"} role="img" aria-label={words} title={words} className={classes.sign} />;
  return (
    <span className={classes.snooze} data-back={snooze.back ? true : undefined} dir="auto">
      <Icon size={13} aria-hidden />
      {words}
    </span>
  );
}

/** The beginning of the last message; of ours with who wrote it. A note's words are nowhere in a list. */
function previewOf(last: ListedRequest["last_message"]): string {
  if (!last) return "";
  const { author_name: name, text } = last;
  if (last.is_private) return t`${name} wrote an internal note`;
  return last.is_responder && name ? `${name}: ${text}` : text;
}

const troubles = {
  failed: { label: msg`A mail was not delivered`, colour: "var(--bad)" },
  perhaps_sent: { label: msg`A mail may not have been sent`, colour: "var(--warn)" },
};

/** That a request is one by mail, or that one of its mails did not arrive. */
function MailSign({ status, byMail }: { status: ListedRequest["email_status"]; byMail: boolean }) {
  if (!status) return byMail && <IconMail size={14} stroke={1.6} color="var(--faint)" role="img" aria-label={t`By mail`} className={classes.sign} />;
  const { colour } = troubles[status];
  const label = i18n._(troubles[status].label);
  return <IconMailExclamation size={14} stroke={2} color={colour} role="img" aria-label={label} title={label} className={classes.sign} />;
}

const week = 7 * 24 * 3_600_000;

// The list sets the full time as the title on hover: formatting it for fifty rows takes longer than the rest of them.
function Age({ at }: { at: string }) {
  const length = useNow() - Date.parse(at);
  return (
    <time dateTime={at} className={classes.age}>
      {length < week ? shortLength(Math.max(0, length)) : pointInTime(at)}
    </time>
  );
}

// What is due later than this needs no sign yet.
const soon = 3_600_000;

/** The clock that runs out next, when it does so soon or already has. */
function Due({ due }: { due: ListedRequest["next_due"] }) {
  const now = useNow();
  if (!due) return null;
  const left = Date.parse(due.due_at) - now;
  if (left > soon) return null;
  const over = left < 0;
  const time = shortLength(left);
  const isNow = Math.abs(left) < 60_000;
  const at = fullTime(due.due_at);
  return (
    <span className={classes.due} data-over={over || undefined} title={over ? t`Overdue since ${at}` : t`Due ${at}`}>
      <IconClockExclamation size={13} aria-hidden />
      {over ? (isNow ? t`overdue` : t`${time} overdue`) : isNow ? t`less than 1m left` : t`${time} left`}
    </span>
  );
}
