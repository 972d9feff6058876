import { Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconClock, IconPlayerPause, type TablerIcon } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type SlaReading, slaQuery } from "../../../data/clocks";
import type { Request } from "../../../data/requests";
import { fullTime, shortLength, useNow } from "../../../parts/time";
import classes from "./Panel.module.css";
import { Part, Row } from "./rows";

/** The SLA timers of a request. They tick while they are shown. */
export function Clocks({ request }: { request: Request }) {
  const sla = useQuery(slaQuery(request.id)).data;
  if (!sla || [sla.first_response, sla.resolution, sla.one_touch].every((c) => c.status === "none")) return null;
  return (
    <Part title="SLA">
      <Clock name="First response" of={sla.first_response} />
      <Clock name="Resolution" of={sla.resolution} />
      {sla.one_touch.status !== "none" && (
        <Row name="Replies">
          <Sign
            icon={sla.one_touch.is_breached ? IconAlertTriangle : IconCheck}
            tone={sla.one_touch.is_breached ? "bad" : "plain"}
            text={`at most ${sla.one_touch.max_replies}${sla.one_touch.replies === null ? "" : `, took ${sla.one_touch.replies}`}`}
            hint={sla.one_touch.policy?.name ?? ""}
          />
        </Row>
      )}
    </Part>
  );
}

// Less than this is left: it is time to hurry.
const short = 30 * 60_000;

function Clock({ name, of }: { name: string; of: SlaReading }) {
  const now = useNow();
  if (of.status === "none") return null;
  const target = of.target_minutes === null ? "" : ` Target:  ${length(of.target_minutes)}.`;
  const hint = `${of.policy?.name ?? ""}.${target} Elapsed: ${length(of.spent_minutes)}.${of.due_at ? ` Due ${fullTime(of.due_at)}.` : ""}`;
  const sign = (): [TablerIcon, "good" | "warn" | "bad" | "plain", string] => {
    if (of.value !== null) return of.is_breached ? [IconAlertTriangle, "bad", `${after(of.value)}, breached`] : [IconCheck, "good", after(of.value)];
    const left = of.due_at ? Date.parse(of.due_at) - now : null;
    if (of.status === "paused") return [IconPlayerPause, "plain", of.target_minutes === null ? "paused" : `paused, ${length(Math.max(0, of.target_minutes - of.spent_minutes))} left`];
    if (of.status === "met") return [IconCheck, "good", "met"];
    if (of.status === "breached" || (left !== null && left <= 0)) return [IconAlertTriangle, "bad", left === null ? "overdue" : `${shortLength(left)} overdue`];
    return [IconClock, left !== null && left < short ? "warn" : "plain", left === null ? "running" : left < 60_000 ? "less than 1m left" : `${shortLength(left)} left`];
  };
  const [icon, tone, text] = sign();
  return (
    <Row name={name}>
      <Sign icon={icon} tone={tone} text={text} hint={hint} />
    </Row>
  );
}

function after(minutes: number): string {
  return minutes < 1 ? "within a minute" : `after ${length(minutes)}`;
}

function length(minutes: number): string {
  return minutes < 1 ? "under 1m" : shortLength(minutes * 60_000);
}

function Sign({ icon: Icon, tone, text, hint }: { icon: TablerIcon; tone: "good" | "warn" | "bad" | "plain"; text: string; hint: string }) {
  return (
    <Tooltip label={hint} multiline maw={280}>
      <span className={classes.clock} data-tone={tone} tabIndex={0}>
        <Icon size={14} aria-hidden /> {text}
      </span>
    </Tooltip>
  );
}
