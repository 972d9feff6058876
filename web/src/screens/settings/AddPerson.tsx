import { t } from "@lingui/core/macro";
import { MultiSelect, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { collectionsQuery } from "../../data/collections";
import type { Role } from "../../data/me";
import { type Member, addMember } from "../../data/members";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { roles } from "./roles";

/** The form for somebody new. */
export function AddPerson({ opened, close, added }: { opened: boolean; close: () => void; added: (m: Member) => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`Add person`}>
      <Form close={close} added={added} />
    </Dialog>
  );
}

function Form({ close, added }: { close: () => void; added: (m: Member) => void }) {
  const collections = useQuery(collectionsQuery).data ?? [];
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("agent");
  const [reach, setReach] = useState<string[]>([]);
  const add = () =>
    addMember({
      email: email.trim(),
      role,
      ...(name.trim() && { name: name.trim() }),
      ...(role !== "admin" && reach.length > 0 && { collection_ids: reach.map(Number) }),
    });
  return (
    <DialogForm send={add} done={added} close={close} yes={t`Add`}>
      {(wrong) => (
        <>
          <TextInput label={t`Email`} type="email" required withAsterisk={false} data-autofocus value={email} onChange={(e) => setEmail(e.currentTarget.value)} error={wrong("email")} />
          <TextInput label={t`Name`} description={t`They can change it later.`} maxLength={200} value={name} onChange={(e) => setName(e.currentTarget.value)} error={wrong("name")} />
          <Select label={t`Role`} data={roles()} allowDeselect={false} value={role} onChange={(r) => r && setRole(r as Role)} error={wrong("role")} />
          {role !== "admin" && (
            <MultiSelect
              label={t`Collections`}
              description={t`They only see requests in these collections. Leave empty for all.`}
              data={collections.map((c) => ({ value: String(c.id), label: c.name }))}
              value={reach}
              onChange={setReach}
              error={wrong("collection_ids")}
            />
          )}
        </>
      )}
    </DialogForm>
  );
}
