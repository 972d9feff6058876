import { Alert, Button, Group, Modal, Radio, Select, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Problem, sentence } from "../../api/client";
import { useMayWrite } from "../../data/me";
import { type MadeToken, makeToken } from "../../data/tokens";

/** The form for a new token. */
export function MakeToken({ opened, close, made }: { opened: boolean; close: () => void; made: (t: MadeToken) => void }) {
  return (
    <Modal opened={opened} onClose={close} title="New token">
      <Form close={close} made={made} />
    </Modal>
  );
}

const day = 24 * 60 * 60 * 1000;
const lengths = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a specific date" },
  { value: "never", label: "Never" },
];

function Form({ close, made }: { close: () => void; made: (t: MadeToken) => void }) {
  const mayWrite = useMayWrite();
  const [name, setName] = useState("");
  const [writes, setWrites] = useState(false);
  const [length, setLength] = useState("365");
  const [date, setDate] = useState("");
  const make = useMutation({
    mutationFn: () => {
      const expires_at = length === "never" ? null : length === "date" ? date : new Date(Date.now() + Number(length) * day).toISOString();
      return makeToken({ name: name.trim(), scope: writes ? "read_write" : "read_only", expires_at });
    },
    onSuccess: made,
  });
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
        <TextInput label="Name" placeholder="Nightly export" required withAsterisk={false} maxLength={100} data-autofocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={fields.name} />
        <Radio.Group label="Permissions" value={writes ? "read_write" : "read_only"} onChange={(v) => setWrites(v === "read_write")} error={fields.scope}>
          <Stack gap="xs" mt="xs">
            <Radio value="read_only" label="Read only" description="It can see what you see." />
            <Radio value="read_write" label="Read and write" description="It can do what you can do." disabled={!mayWrite} />
          </Stack>
        </Radio.Group>
        <Select label="Expires" description={length === "never" ? "Anyone who finds it can use it until you revoke it." : undefined} data={lengths} allowDeselect={false} value={length} onChange={(v) => v && setLength(v)} error={length === "date" ? undefined : fields.expires_at} />
        {length === "date" && <TextInput label="Date" type="date" required withAsterisk={false} value={date} onChange={(e) => setDate(e.currentTarget.value)} error={fields.expires_at} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
