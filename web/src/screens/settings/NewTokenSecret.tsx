import { t } from "@lingui/core/macro";
import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { MadeToken } from "../../data/tokens";
import { CopyLine } from "../../parts/Copy";

/** A new token's secret, the one time that it is shown, and a line that tries it out. */
export function NewTokenSecret({ token, done }: { token: MadeToken; done: () => void }) {
  const { name } = token;
  return (
    <Paper withBorder p="md" component="section" aria-label={t`New token`}>
      <Stack>
        <div>
          <Title order={2}>{t`Token “${name}” created`}</Title>
          <Text c="dimmed">{t`Copy it now. It is not shown again.`}</Text>
        </div>
        <CopyLine label={t`Token`} text={token.secret} />
        <CopyLine label={t`Try it`} text={`curl -H 'Authorization: Bearer ${token.secret}' '${location.origin}/v1/rest/requests?limit=3'`} />
        <Group justify="flex-end">
          <Button variant="default" onClick={done}>
            {t`Done`}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
