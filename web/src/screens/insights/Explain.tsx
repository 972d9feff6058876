import { ActionIcon, Popover, Stack, Text } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";
import type { Measure } from "../../data/insights";

const units: Record<string, string> = {
  minutes: "Time counts in business hours where a schedule applies, and by the calendar elsewhere.",
  percent: "Where there is nothing to divide by, there is no number.",
  points: "From 1, the worst, to 5.",
};

/** Says how a number is counted. */
export function Explain({ title, measure }: { title: string; measure: Measure | undefined }) {
  return (
    <Popover width={280} position="bottom-end" shadow="md" withArrow trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon size="sm" aria-label={`Explain: ${title}`}>
          <IconHelpCircle size={15} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={`How it is counted: ${title}`}>
        <Stack gap={6}>
          <Text size="sm">{measure?.meaning ?? "How this is counted is not known yet."}</Text>
          {measure?.unit && <Text size="sm">{units[measure.unit]}</Text>}
          <Text size="sm" c="dimmed">
            It is about the requests that came in this time, as they are now.
          </Text>
          {measure && (
            <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {measure.name}
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
