import { t } from "@lingui/core/macro";

import { IconAlertTriangle, IconCheck, IconClock, IconPlayerPause, type TablerIcon } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type SlaReading, slaQuery } from "../../../data/clocks";
import { collectionsQuery } from "../../../data/collections";
import { useMe } from "../../../data/me";
import type { Request } from "../../../data/requests";
import { type Schedule, schedulesQuery } from "../../../data/schedules";
import { type SLAKind, policiesQuery } from "../../../data/slaPolicies";
import { dateAndTime, fullTime, shortLength, useNow } from "../../../parts/time";
import { Tip } from "../../../parts/Tip";
import { weekInWords } from "../../../parts/week";
import classes from "./Clocks.module.css";
import { Part, Row } from "./rows";

/** The SLA clocks of a request, as bars of the time that is used. They tick while they are shown. */
export function Clocks({ request }: { request: Request }) {
  const { data: sla, dataUpdatedAt, isError } = useQuery(slaQuery(request.id));
  const hours = useHours(request.collection.id);
  const promised = usePromised();
  if (!sla && !isError && promised.size > 0) return <Waiting kinds={promised} />;
  if (!sla || [sla.first_response, sla.resolution, sla.one_touch].every((c) => c.status === "none")) return null;
  const clocks = [
    { name: t`First response`, of: sla.first_response },
    { name: t`Resolution`, of: sla.resolution },
  ].filter((c) => c.of.status !== "none");
  const counted = clocks.map((c) => hours(c.of));
  // What holds for all of them is said once, below.
  const alike = new Set(counted).size === 1;
  return (
    <Part title={t`SLA`}>
      {clocks.map((c, i) => (
        <Clock key={c.name} {...c} read={dataUpdatedAt} counts={alike ? null : (counted[i] ?? null)} />
      ))}
      {sla.one_touch.status !== "none" && (
        <Row name={t`Replies`}>
          <Sign
            icon={sla.one_touch.is_breached ? IconAlertTriangle : IconCheck}
            tone={sla.one_touch.is_breached ? "bad" : "plain"}
            text={repliesInWords(sla.one_touch)}
            hint={sla.one_touch.policy?.name ?? ""}
          />
        </Row>
      )}
      {alike && <p className={classes.hours}>{counted[0]}</p>}
    </Part>
  );
}

// Policies and schedules hardly change, and every screen that changes them draws it. So they are asked for once.
const seldom = 30 * 60_000;

const usual: ReadonlySet<SLAKind> = new Set(["first_response", "resolution"]);

/** What is promised here in most cases: the kinds that there are policies for. */
function usePromised(): ReadonlySet<SLAKind> {
  const policies = useQuery({ ...policiesQuery, staleTime: seldom }).data;
  return useMemo(() => (policies ? new Set(policies.filter((p) => p.enabled).map((p) => p.kind)) : usual), [policies]);
}

/** Keeps the place of the clocks, so that what is below does not move when they come. */
function Waiting({ kinds }: { kinds: ReadonlySet<SLAKind> }) {
  return (
    <Part title={t`SLA`}>
      {[...usual]
        .filter((kind) => kinds.has(kind))
        .map((kind) => (
          <div key={kind} className={classes.clock} aria-busy aria-label={t`Loading`} role="group">
            <div className={classes.line}>&nbsp;</div>
            <div className={classes.bar} />
            <div className={classes.foot}>&nbsp;</div>
          </div>
        ))}
      {kinds.has("one_touch") && <Row name="">{null}</Row>}
      <p className={classes.hours} />
    </Part>
  );
}

/** When a clock of this collection counts, in a sentence; null until it is known. */
function useHours(collection: number): (of: SlaReading) => string | null {
  const policies = useQuery({ ...policiesQuery, staleTime: seldom }).data;
  const schedules = useQuery({ ...schedulesQuery, staleTime: seldom }).data;
  const collections = useQuery(collectionsQuery).data;
  const mayHold = useMe()?.account.on_hold_allowed !== false;
  return (of) => {
    const policy = policies?.find((p) => p.id === of.policy?.id);
    const home = collections?.find((c) => c.id === collection);
    if (!policy || !schedules || !home) return null;
    const id = policy.schedule_id ?? home.config.schedule_id ?? null;
    return sentenceOf(id === null ? null : schedules.find((s) => s.id === id), mayHold);
  };
}

function sentenceOf(schedule: Schedule | null | undefined, mayHold: boolean): string | null {
  if (schedule === undefined) return null;
  const pauses = mayHold ? t`Paused while pending or on hold.` : t`Paused while pending.`;
  return `${whenInWords(schedule)} ${pauses}`;
}

function whenInWords(schedule: Schedule | null): string {
  if (schedule === null) return t`Counts around the clock.`;
  const hours = weekInWords(schedule.hours, true);
  const zone = schedule.time_zone.replaceAll("_", " ");
  return schedule.holidays.length > 0 ? t`Counts ${hours} ${zone}, except on holidays.` : t`Counts ${hours} ${zone}.`;
}

function repliesInWords({ max_replies, replies: taken }: { max_replies: number | null; replies: number | null }): string {
  const most = max_replies ?? 0;
  return taken === null ? t`at most ${most}` : t`at most ${most}, took ${taken}`;
}

type Tone = "good" | "warn" | "bad" | "plain";

// Less than this is left: it is time to hurry.
const short = 30 * 60_000;

type Said = { icon: TablerIcon; tone: Tone; text: string };

function said(of: SlaReading, now: number): Said {
  if (of.value !== null) return of.is_breached ? { icon: IconAlertTriangle, tone: "bad", text: missedAfter(of.value) } : { icon: IconCheck, tone: "good", text: after(of.value) };
  const left = of.due_at ? Date.parse(of.due_at) - now : null;
  if (of.status === "met") return { icon: IconCheck, tone: "good", text: t`met` };
  if (of.status === "paused") {
    const rest = of.target_minutes === null ? null : of.target_minutes - of.spent_minutes;
    if (rest !== null && rest <= 0) return { icon: IconPlayerPause, tone: "bad", text: t`paused, breached` };
    const time = rest === null ? null : length(rest);
    return { icon: IconPlayerPause, tone: "plain", text: time === null ? t`paused` : t`paused, ${time} left` };
  }
  if (left === null) return of.status === "breached" ? { icon: IconAlertTriangle, tone: "bad", text: t`overdue` } : { icon: IconClock, tone: "plain", text: t`running` };
  const time = shortLength(left);
  if (of.status === "breached" || left <= 0) return { icon: IconAlertTriangle, tone: "bad", text: Math.abs(left) < 60_000 ? t`overdue` : t`${time} overdue` };
  return { icon: IconClock, tone: left < short ? "warn" : "plain", text: left < 60_000 ? t`less than 1m left` : t`${time} left` };
}

/** How much has been used by now: since it was read, a clock that counted went on. */
function spentBy(of: SlaReading, read: number, now: number): number {
  const counting = of.value === null && of.status !== "paused" && ["business hours", "calendar time"].includes(of.intervals.at(-1)?.why ?? "");
  return of.spent_minutes + (counting ? Math.max(0, now - read) / 60_000 : 0);
}

function Clock({ name, of, read, counts }: { name: string; of: SlaReading; read: number; counts: string | null }) {
  const now = useNow();
  const { icon, tone, text } = said(of, now);
  const spent = spentBy(of, read, now);
  const target = of.target_minutes;
  const used = usedInWords(spent, target);
  const due = of.due_at ? dateAndTime(of.due_at) : "";
  const paused = of.status === "paused";
  return (
    <div className={classes.clock} data-tone={tone} data-paused={paused || undefined}>
      <div className={classes.line}>
        <span className={classes.name}>{name}</span>
        <Sign icon={icon} tone={tone} text={text} hint={hintOf(of)} />
      </div>
      {target !== null && (
        <div className={classes.bar} role="meter" aria-label={t`${name}, time used`} aria-valuemin={0} aria-valuemax={target} aria-valuenow={Math.min(target, Math.round(spent))} aria-valuetext={used}>
          <span style={{ inlineSize: `${Math.min(100, (100 * spent) / target)}%` }} />
        </div>
      )}
      <div className={classes.foot}>
        <span>{used}</span>
        {of.due_at && of.value === null && <time dateTime={of.due_at}>{t`due ${due}`}</time>}
      </div>
      {counts && <p className={classes.hours}>{counts}</p>}
    </div>
  );
}

function after(minutes: number): string {
  const time = length(minutes);
  return minutes < 1 ? t`within a minute` : t`after ${time}`;
}

function missedAfter(minutes: number): string {
  const time = length(minutes);
  return minutes < 1 ? t`within a minute, breached` : t`after ${time}, breached`;
}

function usedInWords(spent: number, target: number | null): string {
  const used = length(spent);
  if (target === null) return used;
  const all = length(target);
  return t`${used} of ${all} used`;
}

function hintOf(of: SlaReading): string {
  const policy = of.policy?.name ?? "";
  if (!of.due_at) return `${policy}.`;
  const at = fullTime(of.due_at);
  return t`${policy}. Due ${at}.`;
}

function length(minutes: number): string {
  return minutes < 1 ? t`under 1m` : shortLength(minutes * 60_000);
}

function Sign({ icon: Icon, tone, text, hint }: Said & { hint: string }) {
  return (
    <Tip label={hint} multiline maw={280}>
      <span className={classes.sign} data-tone={tone} tabIndex={0}>
        <Icon size={14} aria-hidden /> {text}
      </span>
    </Tip>
  );
}
