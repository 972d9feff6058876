import { t } from "@lingui/core/macro";
import { Button, Group, NumberInput, PasswordInput, Select, Switch, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Collection, type EmailConfig, changeCollection } from "../../../data/collections";
import { Dialog } from "../../../parts/Dialog";
import { DialogForm } from "../../../parts/DialogForm";
import { Question } from "../../../parts/Question";
import { tell } from "../../../tell";
import { Facts } from "../Facts";
import { choices, mailboxTLS } from "./words";

/** The mailbox that mail is read from, if any. */
export function Mailbox({ collection, config }: { collection: Collection; config: EmailConfig }) {
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const box = config.mailbox;
  const user = box?.user ?? "";
  const server = box ? `${box.host}:${box.port}` : "";
  return (
    <div>
      {box ? (
        <>
          <Facts
            of={[
              [t`Mailbox`, t`${user} on ${server}`],
              [t`Folder`, box.folder],
              [t`Connection`, mailboxTLS()[box.tls]],
            ]}
          />
          <Group mt="xs">
            <Button variant="default" onClick={() => setEditing(true)}>
              {t`Change mailbox`}
            </Button>
            <Button variant="default" color="red" c="var(--bad)" onClick={() => setRemoving(true)}>
              {t`Disconnect mailbox`}
            </Button>
          </Group>
        </>
      ) : (
        <Group gap="sm">
          <Button variant="default" onClick={() => setEditing(true)}>
            {t`Connect a mailbox`}
          </Button>
          <Text size="sm" c="dimmed">
            {t`Frontdesk can also read mail from an IMAP mailbox, without forwarding.`}
          </Text>
        </Group>
      )}
      <Dialog opened={editing} onClose={() => setEditing(false)} title={box ? t`Change mailbox` : t`Connect a mailbox`}>
        {editing && <Form collection={collection} box={box} close={() => setEditing(false)} />}
      </Dialog>
      <Question
        opened={removing}
        close={() => setRemoving(false)}
        title={t`Disconnect the mailbox?`}
        yes={t`Disconnect mailbox`}
        run={async () => {
          await changeCollection(collection.id, { email_config: { mailbox: null } });
          tell(t`Mailbox disconnected.`);
        }}
      >
        {t`New mail there no longer becomes requests. The messages in the mailbox stay.`}
      </Question>
    </div>
  );
}

type Box = NonNullable<EmailConfig["mailbox"]>;
const usual: Box = { kind: "imap", host: "", port: 993, tls: "implicit", user: "", folder: "INBOX", poll_seconds: 60, plus_addressing: false };

function Form({ collection, box, close }: { collection: Collection; box: Box | null; close: () => void }) {
  const [given, setGiven] = useState(box ?? { ...usual, user: collection.email_config?.address ?? "" });
  const [password, setPassword] = useState("");
  const set = (change: Partial<Box>) => setGiven({ ...given, ...change });
  const text = (name: "host" | "user" | "folder") => ({
    value: given[name],
    onChange: (e: { currentTarget: { value: string } }) => set({ [name]: e.currentTarget.value }),
    required: true,
    withAsterisk: false,
    autoComplete: "off",
  });
  const save = () => changeCollection(collection.id, { email_config: { mailbox: { ...given, host: given.host.trim(), user: given.user.trim(), ...(password !== "" && { password }) } } });
  const done = () => {
    tell(t`Mailbox saved. New mail there becomes requests.`);
    close();
  };
  return (
    <DialogForm send={save} done={done} close={close} yes={box ? t`Save` : t`Connect`}>
      {(wrong) => (
        <>
          <Text size="sm" c="dimmed">
            {t`Mail that arrives from now on becomes requests. Nothing is deleted or marked as read there. Microsoft 365 mailboxes do not accept passwords, so forward their mail instead.`}
          </Text>
          <TextInput label={t`IMAP server`} placeholder="imap.example.com" data-autofocus {...text("host")} error={wrong("email_config.mailbox.host")} />
          <Group grow align="flex-start">
            <Select
              label={t`Encryption`}
              allowDeselect={false}
              data={choices(mailboxTLS())}
              value={given.tls}
              onChange={(tls) => tls && set({ tls: tls as Box["tls"], port: tls === "implicit" ? 993 : 143 })}
              error={wrong("email_config.mailbox.tls")}
            />
            <NumberInput label={t`Port`} min={1} max={65535} allowDecimal={false} value={given.port} onChange={(port) => set({ port: Number(port) })} error={wrong("email_config.mailbox.port")} />
          </Group>
          <TextInput label={t`User`} {...text("user")} error={wrong("email_config.mailbox.user")} />
          <PasswordInput
            label={t`Password`}
            description={box ? t`Leave empty to keep the current password. Enter it again if you change the server or user.` : t`Stored encrypted and never shown again.`}
            required={!box}
            withAsterisk={false}
            autoComplete="new-password"
            value={password}
            onChange={(e) => setPassword(e.currentTarget.value)}
            error={wrong("email_config.mailbox.password")}
          />
          <TextInput label={t`Folder`} {...text("folder")} error={wrong("email_config.mailbox.folder")} />
          <NumberInput
            label={t`Check for mail every (seconds)`}
            description={t`Only if the server does not announce new mail itself.`}
            min={10}
            max={3600}
            allowDecimal={false}
            value={given.poll_seconds}
            onChange={(seconds) => set({ poll_seconds: Number(seconds) })}
            error={wrong("email_config.mailbox.poll_seconds")}
          />
          <Switch
            label={t`Plus addressing`}
            description={t`Turn this on if mail to name+anything@ arrives in this mailbox. Each reply then finds its request by its address.`}
            checked={given.plus_addressing}
            onChange={(e) => set({ plus_addressing: e.currentTarget.checked })}
          />
        </>
      )}
    </DialogForm>
  );
}
