import { t } from "@lingui/core/macro";
import { TextInput } from "@mantine/core";
import { useState } from "react";
import { type ShownWebhook, type WebhookEventType, makeWebhook } from "../../data/webhooks";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { EventTypes } from "./EventTypes";

/** The form for a new webhook. */
export function MakeWebhook({ opened, close, made }: { opened: boolean; close: () => void; made: (w: ShownWebhook) => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`Add webhook`} size="lg">
      <Form close={close} made={made} />
    </Dialog>
  );
}

function Form({ close, made }: { close: () => void; made: (w: ShownWebhook) => void }) {
  const [url, setURL] = useState("");
  const [some, setSome] = useState(false);
  const [types, setTypes] = useState<WebhookEventType[]>([]);
  return (
    <DialogForm send={() => makeWebhook({ url: url.trim(), event_types: some ? types : [] })} done={made} close={close} yes={t`Add`} ready={!some || types.length > 0}>
      {(wrong) => (
        <>
          <TextInput
            label={t`URL`}
            description={t`Must be a public https URL, unless the server’s operator allows others.`}
            placeholder="https://hooks.example.com/frontdesk"
            type="url"
            required
            withAsterisk={false}
            maxLength={2048}
            data-autofocus
            value={url}
            onChange={(e) => setURL(e.currentTarget.value)}
            error={wrong("url")}
          />
          <EventTypes value={types} onChange={setTypes} some={some} setSome={setSome} />
        </>
      )}
    </DialogForm>
  );
}
