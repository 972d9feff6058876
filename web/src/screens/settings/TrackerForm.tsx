import { Alert, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Problem, sentence } from "../../api/client";
import { type Integration, changeIntegration, connect } from "../../data/integrations";
import { tell } from "../../tell";
import { type TrackerKind, trackers } from "./trackers";

/** What lets us into a ticket system; it is tried before it is kept. */
export function TrackerForm({ kind, integration, opened, close }: { kind: TrackerKind; integration: Integration | undefined; opened: boolean; close: () => void }) {
  const { name } = trackers.find((t) => t.kind === kind)!;
  return (
    <Modal opened={opened} onClose={close} title={integration ? `Change credentials for ${name}` : `Connect ${name}`}>
      <Form kind={kind} integration={integration} close={close} />
    </Modal>
  );
}

function Form({ kind, integration, close }: { kind: TrackerKind; integration: Integration | undefined; close: () => void }) {
  const { name, fields } = trackers.find((t) => t.kind === kind)!;
  const [given, setGiven] = useState({ domain: integration?.kind === "zendesk" ? (integration.external_id ?? "") : "", email: "", token: "" });
  const save = useMutation({
    mutationFn: async () => {
      const credentials = Object.assign({ token: given.token.trim() }, ...fields.map((f) => ({ [f.name]: given[f.name].trim() })));
      if (integration) await changeIntegration(integration.id, { credentials });
      else await connect({ kind, credentials });
    },
    onSuccess: () => {
      tell(`${name} connected.`);
      close();
    },
  });
  const problems = save.error instanceof Problem ? save.error.fields : {};
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack>
        <Text size="sm" c="dimmed">
          Credentials are checked now and stored encrypted. They are never shown again.
        </Text>
        {save.isError && !fields.some((f) => problems[`credentials.${f.name}`]) && (
          <Alert color="red" variant="light" role="alert">
            {sentence(save.error)}
          </Alert>
        )}
        {fields.map((f, i) => {
          const Input = f.secret ? PasswordInput : TextInput;
          return (
            <Input
              key={f.name}
              label={f.label}
              description={f.description}
              placeholder={f.placeholder}
              required
              withAsterisk={false}
              autoComplete="off"
              data-autofocus={i === 0 || undefined}
              value={given[f.name]}
              onChange={(e) => setGiven({ ...given, [f.name]: e.currentTarget.value })}
              error={problems[`credentials.${f.name}`]}
            />
          );
        })}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {integration ? "Save" : "Connect"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
