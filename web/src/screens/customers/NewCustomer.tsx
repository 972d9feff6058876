import { t } from "@lingui/core/macro";
import { Select, TagsInput, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { collectionsQuery } from "../../data/collections";
import { createCustomer } from "../../data/customer";
import type { Customer } from "../../data/customers";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { tell } from "../../tell";
import { PersonSelect } from "./PersonSelect";

const empty = { name: "", domains: [] as string[], owner: null as string | null, collection: null as string | null };

/** Asks for what a customer needs to begin with; its page has the rest. */
export function NewCustomer({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`New customer`}>
      <Form close={close} />
    </Dialog>
  );
}

function Form({ close }: { close: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(empty);
  const collections = useQuery(collectionsQuery).data ?? [];
  const create = () =>
    createCustomer(client, {
      name: draft.name.trim(),
      domains: draft.domains,
      owner: draft.owner,
      ...(draft.collection && { collection_id: Number(draft.collection) }),
    });
  const done = (customer: Customer) => {
    const { name } = customer;
    close();
    tell(t`Customer “${name}” created.`);
    void navigate({ to: "/customers/$id", params: { id: String(customer.id) } });
  };
  return (
    <DialogForm send={create} done={done} close={close} yes={t`Create customer`} ready={draft.name.trim() !== ""}>
      {(wrong) => (
        <>
          <TextInput label={t`Name`} required data-autofocus maxLength={200} value={draft.name} onChange={(e) => setDraft({ ...draft, name: e.currentTarget.value })} error={wrong("name")} />
          <TagsInput
            label={t`Domains`}
            description={t`People with these email domains belong to this customer, for example globex.com.`}
            splitChars={[",", " "]}
            acceptValueOnBlur
            value={draft.domains}
            onChange={(domains) => setDraft({ ...draft, domains })}
            error={wrong("domains")}
          />
          <PersonSelect label={t`Owner`} description={t`Defaults to the collection’s owner.`} value={draft.owner} onChange={(owner) => setDraft({ ...draft, owner })} error={wrong("owner")} />
          <Select
            label={t`Collection`}
            placeholder={t({ message: "None", context: "collection" })}
            clearable
            searchable
            data={collections.map((c) => ({ value: String(c.id), label: c.name }))}
            value={draft.collection}
            onChange={(collection) => setDraft({ ...draft, collection })}
            error={wrong("collection_id")}
          />
        </>
      )}
    </DialogForm>
  );
}
