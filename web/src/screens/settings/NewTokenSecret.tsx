import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { MadeToken } from "../../data/tokens";
import { CopyLine } from "../../parts/Copy";

/** A new token's secret, the one time that it is shown, and a line that tries it out. */
export function NewTokenSecret({ token, done }: { token: MadeToken; done: () => void }) {
  return (
    <Paper withBorder p="md" component="section" aria-label="New token">
      <Stack>
        <div>
          <Title order={2}>Token “{token.name}” created</Title>
          <Text c="dimmed">Copy it now. It is not shown again.</Text>
        </div>
        <CopyLine label="Token" text={token.secret} />
        <CopyLine label="Try it" text={`curl -H 'Authorization: Bearer ${token.secret}' '${location.origin}/v1/rest/requests?limit=3'`} />
        <Group justify="flex-end">
          <Button variant="default" onClick={done}>
            Done
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
