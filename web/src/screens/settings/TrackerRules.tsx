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
          For requests that are linked from now on:
        </Text>
        <SavedSwitch
          label={`Messages are written about the ticket in ${name}`}
          description="Private notes are not."
          value={sync.should_forward_sync_comments}
          save={(v) => change({ sync_config: { should_forward_sync_comments: v } })}
        />
        <SavedSwitch
          label={`Comments in ${name} are sent in the request`}
          description="The customer reads them."
          value={sync.should_backward_sync_comments}
          save={(v) => change({ sync_config: { should_backward_sync_comments: v } })}
        />
        <SavedSwitch
          label={`Comments in ${name} are shown beside the request`}
          description="Only your team reads them."
          value={screen.should_backward_sync_comments}
          save={(v) => change({ screen_config: { should_backward_sync_comments: v } })}
        />
        <SavedSwitch label="Solved on one side is solved on the other" value={sync.should_sync_status} save={(v) => change({ sync_config: { should_sync_status: v } })} />
        <SavedSwitch
          label="A new status of the ticket is told in the request"
          value={sync.notifiable_fields.includes("status")}
          save={(v) => change({ sync_config: { notifiable_fields: v ? ["status"] : [] } })}
        />
      </Stack>
    </Paper>
  );
}
