import { Alert, Button, Group, Modal, Radio, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Problem, sentence } from "../../../api/client";
import { type Collection, type CollectionKind, makeCollection } from "../../../data/collections";
import { kinds } from "./words";

/** The form for a new collection: what cannot be changed later, and its name. The rest is on its page. */
export function MakeCollection({ opened, close, made }: { opened: boolean; close: () => void; made: (c: Collection) => void }) {
  return (
    <Modal opened={opened} onClose={close} title="New collection">
      <Form close={close} made={made} />
    </Modal>
  );
}

function Form({ close, made }: { close: () => void; made: (c: Collection) => void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<CollectionKind>("chat");
  const make = useMutation({ mutationFn: () => makeCollection({ name: name.trim(), kind }), onSuccess: made });
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
        <TextInput label="Name" placeholder="Partners" required withAsterisk={false} maxLength={200} data-autofocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={fields.name} />
        <Radio.Group label="Source of requests" description="You cannot change this later." value={kind} onChange={(k) => setKind(k as CollectionKind)} error={fields.kind}>
          <Stack gap="xs" mt="xs">
            {(Object.keys(kinds) as CollectionKind[]).map((k) => (
              <Radio key={k} value={k} label={kinds[k].label} description={kinds[k].about} />
            ))}
          </Stack>
        </Radio.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Create collection
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
