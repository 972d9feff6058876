import { t } from "@lingui/core/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type Webhook, changeWebhook } from "../../data/webhooks";
import { Dialog } from "../../parts/Dialog";
import { Refused } from "../../parts/states";
import { tell } from "../../tell";
import { dateAndTime } from "../../parts/time";
import { Notice } from "./Notice";

/** Why nothing gets through, and the way back on. */
export function WebhookTrouble({ webhook: w }: { webhook: Webhook }) {
  const [asking, setAsking] = useState(false);
  if (w.enabled && w.failing_since) {
    const since = dateAndTime(w.failing_since);
    return (
      <Notice title={t`This webhook is failing`}>{t`Nothing has been delivered since ${since}. Pending events are retried for about three days. The deliveries below show the responses.`}</Notice>
    );
  }
  if (w.enabled) return null;
  return (
    <Notice title={w.disabled_at ? t`Frontdesk turned this webhook off` : t`This webhook is off`}>
      <Stack gap="xs" align="flex-start">
        {w.disabled_reason && <Text>{w.disabled_reason}</Text>}
        <Text>{t`It receives no events until you turn it on again.`}</Text>
        <Button onClick={() => setAsking(true)}>{t`Turn on`}</Button>
      </Stack>
      <SwitchOn webhook={w} opened={asking} close={() => setAsking(false)} />
    </Notice>
  );
}

function SwitchOn({ webhook, opened, close }: { webhook: Webhook; opened: boolean; close: () => void }) {
  const on = useMutation({
    mutationFn: (skip_missed: boolean) => changeWebhook(webhook.id, { enabled: true, skip_missed }),
    onSuccess: () => {
      tell(t`Webhook turned on.`);
      close();
    },
  });
  return (
    <Dialog opened={opened} onClose={close} title={t`Turn on this webhook?`}>
      <Stack>
        <Text>{t`Send the events it missed while it was off, in order, or only new events?`}</Text>
        <Refused error={on.error} />
        <Group justify="flex-end">
          <Button variant="default" loading={on.isPending && on.variables} onClick={() => on.mutate(true)}>
            {t`Only new events`}
          </Button>
          <Button loading={on.isPending && !on.variables} onClick={() => on.mutate(false)}>
            {t`Send missed events`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
