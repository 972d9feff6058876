import { t } from "@lingui/core/macro";
import { Paper, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../api/client";
import { type Integration, changeIntegration } from "../../data/integrations";
import { SavedSwitch } from "../../parts/Saved";

/** What is carried over between a request and its ticket. */
export function TrackerRules({ integration, settings, name }: { integration: Integration; settings: Schemas["TrackerSettings"]; name: string }) {
  const { sync_config: sync, screen_config: screen } = settings;
  const change = (settings: Schemas["TrackerSettingsChange"]) => changeIntegration(integration.id, { settings });
  return (
    <Paper withBorder p="md" mt="sm">
      <Stack>
        <Text size="sm" c="dimmed">
          {t`For requests linked from now on:`}
        </Text>
        <SavedSwitch
          label={t`Copy messages to the ticket in ${name}`}
          description={t`Internal notes are not copied.`}
          value={sync.should_forward_sync_comments}
          save={(v) => change({ sync_config: { should_forward_sync_comments: v } })}
        />
        <SavedSwitch
          label={t`Send comments from ${name} to the request`}
          description={t`The customer sees them.`}
          value={sync.should_backward_sync_comments}
          save={(v) => change({ sync_config: { should_backward_sync_comments: v } })}
        />
        <SavedSwitch
          label={t`Show comments from ${name} next to the request`}
          description={t`Only your team sees them.`}
          value={screen.should_backward_sync_comments}
          save={(v) => change({ screen_config: { should_backward_sync_comments: v } })}
        />
        <SavedSwitch label={t`Sync the solved status both ways`} value={sync.should_sync_status} save={(v) => change({ sync_config: { should_sync_status: v } })} />
        <SavedSwitch
          label={t`Post ticket status changes in the request`}
          value={sync.notifiable_fields.includes("status")}
          save={(v) => change({ sync_config: { notifiable_fields: v ? ["status"] : [] } })}
        />
      </Stack>
    </Paper>
  );
}
