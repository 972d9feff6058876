import { Button, Group, Modal, NumberInput, PasswordInput, Select, Switch, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Collection, type EmailConfig, changeCollection } from "../../../data/collections";
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
  return (
    <div>
      {box ? (
        <>
          <Facts
            of={[
              ["Mailbox", `${box.user} on ${box.host}:${box.port}`],
              ["Folder", box.folder],
              ["Connection", mailboxTLS[box.tls]],
            ]}
          />
          <Group mt="xs">
            <Button variant="default" onClick={() => setEditing(true)}>
              Change mailbox
            </Button>
            <Button variant="default" color="red" c="var(--bad)" onClick={() => setRemoving(true)}>
              Disconnect mailbox
            </Button>
          </Group>
        </>
      ) : (
        <Group gap="sm">
          <Button variant="default" onClick={() => setEditing(true)}>
            Connect a mailbox
          </Button>
          <Text size="sm" c="dimmed">
            Instead of forwarding, mail can be read from an IMAP mailbox.
          </Text>
        </Group>
      )}
      <Modal opened={editing} onClose={() => setEditing(false)} title={box ? "Change mailbox" : "Connect a mailbox"}>
        {editing && <Form collection={collection} box={box} close={() => setEditing(false)} />}
      </Modal>
      <Question
        opened={removing}
        close={() => setRemoving(false)}
        title="Disconnect the mailbox?"
        yes="Disconnect mailbox"
        run={async () => {
          await changeCollection(collection.id, { email_config: { mailbox: null } });
          tell("Mailbox disconnected.");
        }}
      >
        New mail there no longer becomes requests. The mails in the mailbox stay.
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
    tell("Mailbox saved. New mail there becomes requests.");
    close();
  };
  return (
    <DialogForm send={save} done={done} close={close} yes={box ? "Save" : "Connect"}>
      {(wrong) => (
        <>
          <Text size="sm" c="dimmed">
            Mail that comes from now on becomes requests. Nothing is deleted or marked there. Mailboxes of Microsoft 365 take no passwords: forward their mail instead.
          </Text>
          <TextInput label="IMAP server" placeholder="imap.example.com" data-autofocus {...text("host")} error={wrong("email_config.mailbox.host")} />
          <Group grow align="flex-start">
            <Select
              label="Encryption"
              allowDeselect={false}
              data={choices(mailboxTLS)}
              value={given.tls}
              onChange={(tls) => tls && set({ tls: tls as Box["tls"], port: tls === "implicit" ? 993 : 143 })}
              error={wrong("email_config.mailbox.tls")}
            />
            <NumberInput label="Port" min={1} max={65535} allowDecimal={false} value={given.port} onChange={(port) => set({ port: Number(port) })} error={wrong("email_config.mailbox.port")} />
          </Group>
          <TextInput label="User" {...text("user")} error={wrong("email_config.mailbox.user")} />
          <PasswordInput
            label="Password"
            description={box ? "Leave it empty to keep the password. A new server or user needs it again." : "Stored encrypted and never shown again."}
            required={!box}
            withAsterisk={false}
            autoComplete="new-password"
            value={password}
            onChange={(e) => setPassword(e.currentTarget.value)}
            error={wrong("email_config.mailbox.password")}
          />
          <TextInput label="Folder" {...text("folder")} error={wrong("email_config.mailbox.folder")} />
          <NumberInput
            label="Look for mail every (seconds)"
            description="Only if the server does not announce new mail itself."
            min={10}
            max={3600}
            allowDecimal={false}
            value={given.poll_seconds}
            onChange={(seconds) => set({ poll_seconds: Number(seconds) })}
            error={wrong("email_config.mailbox.poll_seconds")}
          />
          <Switch
            label="Plus addressing"
            description="Mail to name+anything@ arrives in this mailbox. Then every answer finds its request by its address."
            checked={given.plus_addressing}
            onChange={(e) => set({ plus_addressing: e.currentTarget.checked })}
          />
        </>
      )}
    </DialogForm>
  );
}
