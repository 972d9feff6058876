import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type Webhook, changeWebhook } from "../../data/webhooks";
import { Refused } from "../../parts/states";
import { tell } from "../../tell";
import { dateAndTime } from "../../parts/time";
import { Notice } from "./Notice";

/** Why nothing gets through, and the way back on. */
export function WebhookTrouble({ webhook: w }: { webhook: Webhook }) {
  const [asking, setAsking] = useState(false);
  if (w.enabled && w.failing_since)
    return (
      <Notice title="This webhook is failing">
        Nothing has been delivered since {dateAndTime(w.failing_since)}. Pending events are retried for about three days. The deliveries below show the responses.
      </Notice>
    );
  if (w.enabled) return null;
  return (
    <Notice title={w.disabled_at ? "Frontdesk turned this webhook off" : "This webhook is off"}>
      <Stack gap="xs" align="flex-start">
        {w.disabled_reason && <Text>{w.disabled_reason}</Text>}
        <Text>It receives no events until you turn it on again.</Text>
        <Button onClick={() => setAsking(true)}>Turn on</Button>
      </Stack>
      <SwitchOn webhook={w} opened={asking} close={() => setAsking(false)} />
    </Notice>
  );
}

function SwitchOn({ webhook, opened, close }: { webhook: Webhook; opened: boolean; close: () => void }) {
  const on = useMutation({
    mutationFn: (skip_missed: boolean) => changeWebhook(webhook.id, { enabled: true, skip_missed }),
    onSuccess: () => {
      tell("Webhook turned on.");
      close();
    },
  });
  return (
    <Modal opened={opened} onClose={close} title="Turn on this webhook?">
      <Stack>
        <Text>Send the events it missed while it was off, in order, or only new events?</Text>
        <Refused error={on.error} />
        <Group justify="flex-end">
          <Button variant="default" loading={on.isPending && on.variables} onClick={() => on.mutate(true)}>
            Only new events
          </Button>
          <Button loading={on.isPending && !on.variables} onClick={() => on.mutate(false)}>
            Send missed events
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
