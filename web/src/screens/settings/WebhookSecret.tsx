import { t } from "@lingui/core/macro";
import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ShownWebhook } from "../../data/webhooks";
import { CopyLine } from "../../parts/Copy";

/** A webhook's secret, the one time that it is shown. */
export function WebhookSecret({ webhook, done, open }: { webhook: ShownWebhook; done: () => void; open?: boolean }) {
  const { host } = new URL(webhook.url);
  return (
    <Paper withBorder p="md" component="section" aria-label={t`New secret`}>
      <Stack>
        <div>
          <Title order={2}>{t`Secret for ${host}`}</Title>
          <Text c="dimmed">{t`Your server uses it to verify that events come from Frontdesk, as Standard Webhooks defines. Copy it now. It is not shown again.`}</Text>
        </div>
        <CopyLine label={t`Secret`} text={webhook.secret} />
        <Group justify="flex-end">
          <Button variant="default" onClick={done}>
            {t`Done`}
          </Button>
          {open && (
            <Button component={Link} to={`/settings/webhooks/${webhook.id}`}>
              {t`Open webhook and send a test`}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}
