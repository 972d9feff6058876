import { Group, Text } from "@mantine/core";
import { IconCircleCheck, IconClock, IconLoader2 } from "@tabler/icons-react";
import type { AnnouncementStatus } from "../../data/announcements";

export const statusNames: Record<AnnouncementStatus, string> = { pending: "Sending", scheduled: "Scheduled", sent: "Sent" };
const icons = { pending: IconLoader2, scheduled: IconClock, sent: IconCircleCheck };
const colours = { pending: "var(--mantine-primary-color-filled)", scheduled: "var(--warn)", sent: "var(--good)" };

/** How far an announcement is, by shape and by colour. */
export function StatusSign({ status }: { status: AnnouncementStatus }) {
  const Icon = icons[status];
  return (
    <Group gap={6} wrap="nowrap" component="span">
      <Icon size={15} stroke={2} color={colours[status]} aria-hidden />
      <Text span size="sm">
        {statusNames[status]}
      </Text>
    </Group>
  );
}

/** "1 channel", "12 channels". */
export function channels(n: number): string {
  return n === 1 ? "1 channel" : `${n} channels`;
}
