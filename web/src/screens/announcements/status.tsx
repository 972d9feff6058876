import { plural, t } from "@lingui/core/macro";
import { Group, Text } from "@mantine/core";
import { IconCircleCheck, IconClock, IconLoader2 } from "@tabler/icons-react";
import type { AnnouncementStatus } from "../../data/announcements";

/** How far an announcement is, in a word. */
export function statusName(status: AnnouncementStatus): string {
  switch (status) {
    case "pending":
      return t({ message: "Sending", context: "announcement" });
    case "scheduled":
      return t({ message: "Scheduled", context: "announcement" });
    case "sent":
      return t({ message: "Sent", context: "announcement" });
  }
}

const icons = { pending: IconLoader2, scheduled: IconClock, sent: IconCircleCheck };
const colours = { pending: "var(--mantine-primary-color-filled)", scheduled: "var(--warn)", sent: "var(--good)" };

/** How far an announcement is, by shape and by colour. */
export function StatusSign({ status }: { status: AnnouncementStatus }) {
  const Icon = icons[status];
  return (
    <Group gap={6} wrap="nowrap" component="span">
      <Icon size={15} stroke={2} color={colours[status]} aria-hidden />
      <Text span size="sm">
        {statusName(status)}
      </Text>
    </Group>
  );
}

/** "1 channel", "12 channels". */
export const channels = (n: number) => plural(n, { one: "# channel", other: "# channels" });
