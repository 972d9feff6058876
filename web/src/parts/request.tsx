// The icons of a request's state and priority. They differ in shape and in colour, so
// that nobody has to tell colours apart.
import { msg } from "@lingui/core/macro";
import { type MessageDescriptor, i18n } from "@lingui/core";
import { Group, Text } from "@mantine/core";
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
import { Tip } from "./Tip";

export type Look = { label: string; icon: TablerIcon; colour: string };

/** The label is taken when it is read: while the code is loaded, the texts are not there yet. */
const look = (label: MessageDescriptor, icon: TablerIcon, colour: string): Look => ({
  get label() {
    return i18n._(label);
  },
  icon,
  colour,
});

export const stateLooks: Record<State, Look> = {
  open: look(msg({ message: "Open", context: "state" }), IconCircle, "var(--mantine-primary-color-filled)"),
  in_progress: look(msg({ message: "In progress", context: "state" }), IconCircleDot, "var(--mantine-primary-color-filled)"),
  pending: look(msg({ message: "Pending", context: "state" }), IconClockPause, "var(--warn)"),
  on_hold: look(msg({ message: "On hold", context: "state" }), IconPlayerPause, "var(--faint)"),
  solved: look(msg({ message: "Solved", context: "state" }), IconCircleCheck, "var(--good)"),
  closed: look(msg({ message: "Closed", context: "state" }), IconLock, "var(--faint)"),
};

/** A conversation that is no request. */
const noRequest: Look = look(msg`Not a request`, IconCircleDashed, "var(--faint)");

/** How a state looks; null is that of a conversation that is no request. */
export function stateLook(state: State | null): Look {
  return state === null ? noRequest : stateLooks[state];
}

export const priorityLooks: Record<Priority, Look> = {
  low: look(msg({ message: "Low", context: "priority" }), IconAntennaBars1, "var(--faint)"),
  normal: look(msg({ message: "Normal", context: "priority" }), IconAntennaBars3, "var(--faint)"),
  high: look(msg({ message: "High", context: "priority" }), IconAntennaBars4, "var(--warn)"),
  urgent: look(msg({ message: "Urgent", context: "priority" }), IconAntennaBars5, "var(--bad)"),
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
    <Tip label={look.label}>
      <span role="img" aria-label={look.label} style={{ display: "inline-flex" }}>
        {icon}
      </span>
    </Tip>
  );
}

export function StateSign({ state, labelled }: { state: State | null; labelled?: boolean }) {
  return <Sign look={stateLook(state)} {...(labelled && { labelled })} />;
}

export function PrioritySign({ priority, labelled }: { priority: Priority; labelled?: boolean }) {
  return <Sign look={priorityLooks[priority]} {...(labelled && { labelled })} />;
}
