import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { sentence } from "../../api/client";
import { type Webhook, changeWebhook } from "../../data/webhooks";
import { tell } from "../../parts/tell";
import { dateAndTime } from "../../parts/time";
import { Notice } from "./Notice";

/** Why nothing gets through, and the way back on. */
export function WebhookTrouble({ webhook: w }: { webhook: Webhook }) {
  const [asking, setAsking] = useState(false);
  if (w.enabled && w.failing_since)
    return (
      <Notice title="It is failing">
        Nothing has got through since {dateAndTime(w.failing_since)}. What waits is tried again by itself, for about three days; the deliveries below say what came back.
      </Notice>
    );
  if (w.enabled) return null;
  return (
    <Notice title={w.disabled_at ? "Frontdesk has switched it off" : "It is switched off"}>
      <Stack gap="xs" align="flex-start">
        {w.disabled_reason && <Text>{w.disabled_reason}</Text>}
        <Text>It is told of nothing until you switch it on again.</Text>
        <Button onClick={() => setAsking(true)}>Switch on</Button>
      </Stack>
      <SwitchOn webhook={w} opened={asking} close={() => setAsking(false)} />
    </Notice>
  );
}

function SwitchOn({ webhook, opened, close }: { webhook: Webhook; opened: boolean; close: () => void }) {
  const on = useMutation({
    mutationFn: (skip_missed: boolean) => changeWebhook(webhook.id, { enabled: true, skip_missed }),
    onSuccess: () => {
      tell("The webhook is on.");
      close();
    },
  });
  return (
    <Modal opened={opened} onClose={close} title="Switch the webhook on?">
      <Stack>
        <Text>Shall it be told what it missed while it was off, in order, or only what happens from now on?</Text>
        {on.isError && (
          <Alert color="red" variant="light" role="alert">
            {sentence(on.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" loading={on.isPending && on.variables} onClick={() => on.mutate(true)}>
            Only from now on
          </Button>
          <Button loading={on.isPending && !on.variables} onClick={() => on.mutate(false)}>
            Tell what it missed
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
