import { t } from "@lingui/core/macro";
import { Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Dialog } from "../parts/Dialog";
import { Keys, useAllCommands } from "./commands";

/** Every key that does something here. */
export function KeyHelp({ opened, close }: { opened: boolean; close: () => void }) {
  const groups = Map.groupBy(
    useAllCommands().filter((c) => c.keys),
    (c) => c.group,
  );
  return (
    <Dialog opened={opened} onClose={close} title={t`Keyboard shortcuts`} size="xl">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        {[...groups].map(([group, commands]) => (
          <Stack key={group} gap={6}>
            <Title order={3}>{group}</Title>
            {commands.map((c) => (
              <Group key={c.id} justify="space-between" wrap="nowrap">
                <Text size="sm">{c.label}</Text>
                <Keys keys={c.keys ?? ""} spoken />
              </Group>
            ))}
          </Stack>
        ))}
      </SimpleGrid>
    </Dialog>
  );
}
