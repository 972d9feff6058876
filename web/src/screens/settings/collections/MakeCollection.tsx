import { t } from "@lingui/core/macro";
import { Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Collection, type CollectionKind, makeCollection } from "../../../data/collections";
import { Dialog } from "../../../parts/Dialog";
import { DialogForm } from "../../../parts/DialogForm";
import { kinds } from "./words";

/** The form for a new collection: what cannot be changed later, and its name. The rest is on its page. */
export function MakeCollection({ opened, close, made }: { opened: boolean; close: () => void; made: (c: Collection) => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`New collection`}>
      <Form close={close} made={made} />
    </Dialog>
  );
}

function Form({ close, made }: { close: () => void; made: (c: Collection) => void }) {
  const [name, setName] = useState("");
  const [address, setAddress] = useState("");
  const [kind, setKind] = useState<CollectionKind>("chat");
  const words = kinds();
  return (
    <DialogForm
      send={() => makeCollection({ name: name.trim(), kind, ...(kind === "email" && address.trim() !== "" && { email_config: { address: address.trim() } }) })}
      done={made}
      close={close}
      yes={t`Create collection`}
    >
      {(wrong) => (
        <>
          <TextInput
            label={t`Name`}
            placeholder={t`Partners`}
            required
            withAsterisk={false}
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(e) => setName(e.currentTarget.value)}
            error={wrong("name")}
          />
          <Radio.Group label={t`Source of requests`} description={t`You cannot change this later.`} value={kind} onChange={(k) => setKind(k as CollectionKind)} error={wrong("kind")}>
            <Stack gap="xs" mt="xs">
              {(Object.keys(words) as CollectionKind[]).map((k) => (
                <Radio key={k} value={k} label={words[k].label} description={words[k].about} />
              ))}
            </Stack>
          </Radio.Group>
          {kind === "email" && (
            <TextInput
              label={t`Address`}
              description={t`The address your customers write to. You can also set it later.`}
              placeholder="help@example.com"
              inputMode="email"
              autoComplete="off"
              maxLength={254}
              value={address}
              onChange={(e) => setAddress(e.currentTarget.value)}
              error={wrong("email_config.address")}
            />
          )}
        </>
      )}
    </DialogForm>
  );
}
