import { Alert, Button, Group, Modal, MultiSelect, Select, Stack, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Problem, sentence } from "../../api/client";
import { collectionsQuery } from "../../data/collections";
import type { Role } from "../../data/me";
import { type Member, addMember } from "../../data/members";
import { roles } from "./roles";

/** The form for somebody new. */
export function AddPerson({ opened, close, added }: { opened: boolean; close: () => void; added: (m: Member) => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Add person">
      <Form close={close} added={added} />
    </Modal>
  );
}

function Form({ close, added }: { close: () => void; added: (m: Member) => void }) {
  const collections = useQuery(collectionsQuery).data ?? [];
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("agent");
  const [reach, setReach] = useState<string[]>([]);
  const add = useMutation({
    mutationFn: () =>
      addMember({
        email: email.trim(),
        role,
        ...(name.trim() && { name: name.trim() }),
        ...(role !== "admin" && reach.length > 0 && { collection_ids: reach.map(Number) }),
      }),
    onSuccess: added,
  });
  const fields = add.error instanceof Problem ? add.error.fields : {};
  const submit = (e: FormEvent) => {
    e.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {add.isError && Object.keys(fields).length === 0 && (
          <Alert color="red" variant="light" role="alert">
            {sentence(add.error)}
          </Alert>
        )}
        <TextInput label="Email" type="email" required withAsterisk={false} data-autofocus value={email} onChange={(e) => setEmail(e.currentTarget.value)} error={fields.email} />
        <TextInput label="Name" description="They can change it later." maxLength={200} value={name} onChange={(e) => setName(e.currentTarget.value)} error={fields.name} />
        <Select label="Role" data={roles} allowDeselect={false} value={role} onChange={(r) => r && setRole(r as Role)} error={fields.role} />
        {role !== "admin" && (
          <MultiSelect
            label="Collections"
            description="They only see requests in these collections. Leave empty for all."
            data={collections.map((c) => ({ value: String(c.id), label: c.name }))}
            value={reach}
            onChange={setReach}
            error={fields.collection_ids}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
