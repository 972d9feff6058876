import { t } from "@lingui/core/macro";
import { PasswordInput, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Integration, changeIntegration, connect } from "../../data/integrations";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { tell } from "../../tell";
import { type TrackerKind, trackerOf } from "./trackers";

/** What lets us into a ticket system; it is tried before it is kept. */
export function TrackerForm({ kind, integration, opened, close }: { kind: TrackerKind; integration: Integration | undefined; opened: boolean; close: () => void }) {
  const { name } = trackerOf(kind);
  return (
    <Dialog opened={opened} onClose={close} title={integration ? t`Change credentials for ${name}` : t`Connect ${name}`}>
      <Form kind={kind} integration={integration} close={close} />
    </Dialog>
  );
}

function Form({ kind, integration, close }: { kind: TrackerKind; integration: Integration | undefined; close: () => void }) {
  const { name, fields } = trackerOf(kind);
  const [given, setGiven] = useState({ domain: integration?.kind === "zendesk" ? (integration.external_id ?? "") : "", email: "", token: "" });
  const save = async () => {
    const credentials = Object.assign({ token: given.token.trim() }, ...fields.map((f) => ({ [f.name]: given[f.name].trim() })));
    if (integration) await changeIntegration(integration.id, { credentials });
    else await connect({ kind, credentials });
  };
  const done = () => {
    tell(t`${name} connected.`);
    close();
  };
  return (
    <DialogForm send={save} done={done} close={close} yes={integration ? t`Save` : t`Connect`}>
      {(wrong) => (
        <>
          <Text size="sm" c="dimmed">
            {t`Credentials are checked now and stored encrypted. They are never shown again.`}
          </Text>
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
                error={wrong(`credentials.${f.name}`)}
              />
            );
          })}
        </>
      )}
    </DialogForm>
  );
}
