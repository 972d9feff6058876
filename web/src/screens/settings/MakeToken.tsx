import { t } from "@lingui/core/macro";
import { Radio, Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useMayWrite } from "../../data/me";
import { type MadeToken, makeToken } from "../../data/tokens";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";

/** The form for a new token. */
export function MakeToken({ opened, close, made }: { opened: boolean; close: () => void; made: (t: MadeToken) => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`New token`}>
      <Form close={close} made={made} />
    </Dialog>
  );
}

const day = 24 * 60 * 60 * 1000;
const lengths = () => [
  { value: "30", label: t`In 30 days` },
  { value: "90", label: t`In 90 days` },
  { value: "365", label: t`In a year` },
  { value: "date", label: t`On a specific date` },
  { value: "never", label: t`Never` },
];

function Form({ close, made }: { close: () => void; made: (t: MadeToken) => void }) {
  const mayWrite = useMayWrite();
  const [name, setName] = useState("");
  const [writes, setWrites] = useState(false);
  const [length, setLength] = useState("365");
  const [date, setDate] = useState("");
  const make = () => {
    const expires_at = length === "never" ? null : length === "date" ? date : new Date(Date.now() + Number(length) * day).toISOString();
    return makeToken({ name: name.trim(), scope: writes ? "read_write" : "read_only", expires_at });
  };
  return (
    <DialogForm send={make} done={made} close={close} yes={t`Create token`}>
      {(wrong) => (
        <>
          <TextInput
            label={t`Name`}
            placeholder={t`Nightly export`}
            required
            withAsterisk={false}
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(e) => setName(e.currentTarget.value)}
            error={wrong("name")}
          />
          <Radio.Group label={t`Permissions`} value={writes ? "read_write" : "read_only"} onChange={(v) => setWrites(v === "read_write")} error={wrong("scope")}>
            <Stack gap="xs" mt="xs">
              <Radio value="read_only" label={t`Read only`} description={t`It can see what you see.`} />
              <Radio value="read_write" label={t`Read and write`} description={t`It can do what you can do.`} disabled={!mayWrite} />
            </Stack>
          </Radio.Group>
          <Select
            label={t`Expires`}
            description={length === "never" ? t`Anyone who finds it can use it until you revoke it.` : undefined}
            data={lengths()}
            allowDeselect={false}
            value={length}
            onChange={(v) => v && setLength(v)}
            error={length === "date" ? undefined : wrong("expires_at")}
          />
          {length === "date" && <TextInput label={t`Date`} type="date" required withAsterisk={false} value={date} onChange={(e) => setDate(e.currentTarget.value)} error={wrong("expires_at")} />}
        </>
      )}
    </DialogForm>
  );
}
