import { Box, Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Problem } from "../../api/client";

/** The card that stands before the desk: sign-in, first run, welcome. */
export function Door({ title, children, hint }: { title: string; children: ReactNode; hint?: ReactNode }) {
  return (
    <Center mih="100%" p="md" bg="var(--side)">
      <Box w="100%" maw={380} component="main">
        <Group justify="center" mb="lg" gap="xs">
          <img src="/icon.svg" alt="" width={28} height={28} />
          <Text fw={650} size="lg">
            Frontdesk
          </Text>
        </Group>
        <Paper withBorder p="lg" radius="md">
          <Stack>
            <Title order={1}>{title}</Title>
            {children}
          </Stack>
        </Paper>
        {hint && (
          <Text size="sm" c="dimmed" ta="center" mt="md" component="div">
            {hint}
          </Text>
        )}
      </Box>
    </Center>
  );
}

/** What is wrong with a field, if that was the reason. */
export function fieldProblem(error: unknown, field: string): string | undefined {
  return error instanceof Problem ? error.fields[field] : undefined;
}
