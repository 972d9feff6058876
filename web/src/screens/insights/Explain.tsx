import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ActionIcon, Popover, Stack, Text } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";
import type { Measure } from "../../data/insights";
import { wordsOf } from "./measures";

const units: Record<string, MessageDescriptor> = {
  minutes: msg`Counts working hours where a schedule applies, and calendar time elsewhere.`,
  percent: msg`No number is shown when there is nothing to divide by.`,
  points: msg`From 1 (worst) to 5 (best).`,
};

/** Says how a number is counted. */
export function Explain({ title, measure }: { title: string; measure: Measure | undefined }) {
  const unit = measure?.unit && units[measure.unit];
  return (
    <Popover width={280} position="bottom-end" shadow="md" withArrow trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon size="sm" aria-label={t`Explain: ${title}`}>
          <IconHelpCircle size={15} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t`How it is calculated: ${title}`}>
        <Stack gap={6}>
          <Text size="sm">{measure ? wordsOf(measure).meaning : t`No description yet.`}</Text>
          {unit && <Text size="sm">{i18n._(unit)}</Text>}
          <Text size="sm" c="dimmed">
            <Trans>Includes requests received in this period, as they are now.</Trans>
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
