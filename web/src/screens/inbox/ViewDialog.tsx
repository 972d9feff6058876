import { t } from "@lingui/core/macro";
import { Switch, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMayWrite } from "../../data/me";
import { type View, changeView, makeView } from "../../data/views";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { tell } from "../../tell";
import { type Filters, toViewQuery } from "./filters";

/** Keeps the filters as a view, or gives one that is kept another name. */
export function ViewDialog({ opened, view, filters, close }: { opened: boolean; view: View | null; filters: Filters; close: () => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={view ? t`Rename or share view` : t`Save filters as a view`}>
      {opened && <Form view={view} filters={filters} close={close} />}
    </Dialog>
  );
}

function Form({ view, filters, close }: { view: View | null; filters: Filters; close: () => void }) {
  const client = useQueryClient();
  const mayShare = useMayWrite();
  const [name, setName] = useState(view?.name ?? "");
  const [shared, setShared] = useState(view?.shared ?? false);
  const save = async () => {
    if (view) await changeView(client, view.id, { name: name.trim(), shared });
    else await makeView(client, { name: name.trim(), shared, query: toViewQuery(filters) });
  };
  const done = () => {
    const saved = name.trim();
    tell(t`View “${saved}” saved.`);
    close();
  };
  return (
    <DialogForm send={save} done={done} close={close} yes={t`Save`} ready={name.trim() !== ""}>
      {(wrong) => (
        <>
          <TextInput label={t`Name`} data-autofocus required maxLength={200} value={name} onChange={(e) => setName(e.currentTarget.value)} error={wrong("name")} />
          {mayShare && <Switch label={t`Share with everyone in the account`} checked={shared} onChange={(e) => setShared(e.currentTarget.checked)} />}
          {filters.query && !view && (
            <Text size="sm" c="dimmed">
              {t`Search words are not saved with the view.`}
            </Text>
          )}
        </>
      )}
    </DialogForm>
  );
}
