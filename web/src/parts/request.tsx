// The icons of a request's state and priority. They differ in shape and in colour, so
// that nobody has to tell colours apart.
import { Group, Text, Tooltip } from "@mantine/core";
import {
  IconAntennaBars1,
  IconAntennaBars3,
  IconAntennaBars4,
  IconAntennaBars5,
  IconCircle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleDot,
  IconClockPause,
  IconLock,
  IconPlayerPause,
  type TablerIcon,
} from "@tabler/icons-react";
import type { Priority, State } from "../data/requests";

export type Look = { label: string; icon: TablerIcon; colour: string };

export const stateLooks: Record<State, Look> = {
  open: { label: "Open", icon: IconCircle, colour: "var(--mantine-primary-color-filled)" },
  in_progress: { label: "In progress", icon: IconCircleDot, colour: "var(--mantine-primary-color-filled)" },
  pending: { label: "Pending", icon: IconClockPause, colour: "var(--warn)" },
  on_hold: { label: "On hold", icon: IconPlayerPause, colour: "var(--faint)" },
  solved: { label: "Solved", icon: IconCircleCheck, colour: "var(--good)" },
  closed: { label: "Closed", icon: IconLock, colour: "var(--faint)" },
};

/** A conversation that is no request. */
const noRequest: Look = { label: "Not a request", icon: IconCircleDashed, colour: "var(--faint)" };

/** How a state looks; null is that of a conversation that is no request. */
export function stateLook(state: State | null): Look {
  return state === null ? noRequest : stateLooks[state];
}

export const priorityLooks: Record<Priority, Look> = {
  low: { label: "Low", icon: IconAntennaBars1, colour: "var(--faint)" },
  normal: { label: "Normal", icon: IconAntennaBars3, colour: "var(--faint)" },
  high: { label: "High", icon: IconAntennaBars4, colour: "var(--warn)" },
  urgent: { label: "Urgent", icon: IconAntennaBars5, colour: "var(--bad)" },
};

function Sign({ look, labelled }: { look: Look; labelled?: boolean }) {
  const icon = <look.icon size={15} stroke={2} color={look.colour} aria-hidden style={{ flexShrink: 0 }} />;
  if (labelled)
    return (
      <Group gap={6} wrap="nowrap" component="span">
        {icon}
        <Text span size="sm">
          {look.label}
        </Text>
      </Group>
    );
  return (
    <Tooltip label={look.label}>
      <span role="img" aria-label={look.label} style={{ display: "inline-flex" }}>
        {icon}
      </span>
    </Tooltip>
  );
}

export function StateSign({ state, labelled }: { state: State | null; labelled?: boolean }) {
  return <Sign look={stateLook(state)} {...(labelled && { labelled })} />;
}

export function PrioritySign({ priority, labelled }: { priority: Priority; labelled?: boolean }) {
  return <Sign look={priorityLooks[priority]} {...(labelled && { labelled })} />;
}
