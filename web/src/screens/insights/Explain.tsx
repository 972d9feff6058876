import { ActionIcon, Popover, Stack, Text } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";
import type { Measure } from "../../data/insights";

const units: Record<string, string> = {
  minutes: "Counts working hours where a schedule applies, and calendar time elsewhere.",
  percent: "No number is shown when there is nothing to divide by.",
  points: "From 1 (worst) to 5 (best).",
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
      <Popover.Dropdown aria-label={`How it is calculated: ${title}`}>
        <Stack gap={6}>
          <Text size="sm">{measure?.meaning ?? "No description yet."}</Text>
          {measure?.unit && <Text size="sm">{units[measure.unit]}</Text>}
          <Text size="sm" c="dimmed">
            Includes requests received in this period, as they are now.
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
