import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Problem, sentence } from "../../api/client";
import { type ShownWebhook, type WebhookEventType, makeWebhook } from "../../data/webhooks";
import { EventTypes } from "./EventTypes";

/** The form for a new webhook. */
export function MakeWebhook({ opened, close, made }: { opened: boolean; close: () => void; made: (w: ShownWebhook) => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Add webhook" size="lg">
      <Form close={close} made={made} />
    </Modal>
  );
}

function Form({ close, made }: { close: () => void; made: (w: ShownWebhook) => void }) {
  const [url, setURL] = useState("");
  const [some, setSome] = useState(false);
  const [types, setTypes] = useState<WebhookEventType[]>([]);
  const make = useMutation({ mutationFn: () => makeWebhook({ url: url.trim(), event_types: some ? types : [] }), onSuccess: made });
  const fields = make.error instanceof Problem ? make.error.fields : {};
  const submit = (e: FormEvent) => {
    e.preventDefault();
    make.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {make.isError && Object.keys(fields).length === 0 && (
          <Alert color="red" variant="light" role="alert">
            {sentence(make.error)}
          </Alert>
        )}
        <TextInput
          label="URL"
          description="Must be a public https URL, unless the server’s operator allows others."
          placeholder="https://hooks.example.com/frontdesk"
          type="url"
          required
          withAsterisk={false}
          maxLength={2048}
          data-autofocus
          value={url}
          onChange={(e) => setURL(e.currentTarget.value)}
          error={fields.url}
        />
        <EventTypes value={types} onChange={setTypes} some={some} setSome={setSome} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending} disabled={some && types.length === 0}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
