import { Alert, Button, Group, Modal, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Problem, sentence } from "../../api/client";
import { createCustomer } from "../../data/customer";
import { collectionNamesQuery } from "../../data/insights";
import { tell } from "../../tell";
import { PersonSelect } from "./PersonSelect";

const empty = { name: "", domains: [] as string[], owner: null as string | null, collection: null as string | null };

/** Asks for what a customer needs to begin with; its page has the rest. */
export function NewCustomer({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="New customer">
      <Form close={close} />
    </Modal>
  );
}

function Form({ close }: { close: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(empty);
  const collections = useQuery(collectionNamesQuery).data ?? [];
  const create = useMutation({
    mutationFn: () =>
      createCustomer(client, {
        name: draft.name.trim(),
        domains: draft.domains,
        owner: draft.owner,
        ...(draft.collection && { collection_id: Number(draft.collection) }),
      }),
    onSuccess: (customer) => {
      close();
      tell(`${customer.name} created.`);
      void navigate({ to: "/customers/$id", params: { id: String(customer.id) } });
    },
  });
  const fields = create.error instanceof Problem ? create.error.fields : {};
  // An error of one list item is shown at the list.
  const wrong = (name: string) => fields[name] ?? Object.entries(fields).find(([field]) => field.startsWith(`${name}[`))?.[1];
  const told = ["name", "domains", "owner", "collection_id"].some((f) => wrong(f));
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        create.mutate();
      }}
    >
      <Stack>
        <TextInput label="Name" required data-autofocus maxLength={200} value={draft.name} onChange={(e) => setDraft({ ...draft, name: e.currentTarget.value })} error={wrong("name")} />
        <TagsInput label="Domains" description="People with these email domains belong to this customer, for example globex.com." splitChars={[",", " "]} acceptValueOnBlur value={draft.domains} onChange={(domains) => setDraft({ ...draft, domains })} error={wrong("domains")} />
        <PersonSelect label="Owner" description="Defaults to the collection’s owner." value={draft.owner} onChange={(owner) => setDraft({ ...draft, owner })} error={wrong("owner")} />
        <Select label="Collection" placeholder="None" clearable searchable data={collections.map((c) => ({ value: String(c.id), label: c.name }))} value={draft.collection} onChange={(collection) => setDraft({ ...draft, collection })} error={wrong("collection_id")} />
        {create.isError && !told && (
          <Alert color="red" variant="light" role="alert">
            {sentence(create.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={draft.name.trim() === ""}>
            Create customer
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
