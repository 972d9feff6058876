import { t } from "@lingui/core/macro";
import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Webhook, replayWebhook } from "../../data/webhooks";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { tell } from "../../tell";

/** Has what happened in a time told once more. */
export function ReplayTime({ webhook, opened, close }: { webhook: Webhook; opened: boolean; close: () => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`Replay events`}>
      <Form webhook={webhook} close={close} />
    </Dialog>
  );
}

function Form({ webhook, close }: { webhook: Webhook; close: () => void }) {
  const [after, setAfter] = useState(() => localTime(Date.now() - 60 * 60 * 1000));
  const [before, setBefore] = useState("");
  const replay = () => replayWebhook(webhook.id, { after: new Date(after).toISOString(), ...(before && { before: new Date(before).toISOString() }) });
  const done = () => {
    tell(t`Replaying events.`);
    close();
  };
  return (
    <DialogForm send={replay} done={done} close={close} yes={t`Replay`}>
      {(wrong) => (
        <>
          <Text>{t`Events from this period are sent again, limited to the types this webhook receives. Each keeps its webhook-id, so your server can skip events it already has.`}</Text>
          <TextInput
            label={t`From`}
            type="datetime-local"
            step={1}
            required
            withAsterisk={false}
            data-autofocus
            value={after}
            onChange={(e) => setAfter(e.currentTarget.value)}
            error={wrong("after")}
          />
          <TextInput
            label={t`To`}
            description={t`Leave empty to replay up to now.`}
            type="datetime-local"
            step={1}
            value={before}
            onChange={(e) => setBefore(e.currentTarget.value)}
            error={wrong("before")}
          />
        </>
      )}
    </DialogForm>
  );
}

/** A moment as the field wants it: the clock of this place, without a zone. */
function localTime(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
