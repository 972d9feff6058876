import { Button, Group, Modal, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Problem, sentence } from "../../api/client";
import { useMayWrite } from "../../data/me";
import { type View, changeView, makeView } from "../../data/views";
import { tell } from "../../tell";
import { type Filters, toViewQuery } from "./filters";

/** Keeps the filters as a view, or gives one that is kept another name. */
export function ViewDialog({ opened, view, filters, close }: { opened: boolean; view: View | null; filters: Filters; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title={view ? "Rename or share view" : "Save filters as a view"}>
      {opened && <Form view={view} filters={filters} close={close} />}
    </Modal>
  );
}

function Form({ view, filters, close }: { view: View | null; filters: Filters; close: () => void }) {
  const client = useQueryClient();
  const mayShare = useMayWrite();
  const [name, setName] = useState(view?.name ?? "");
  const [shared, setShared] = useState(view?.shared ?? false);
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const save = async (e: FormEvent) => {
    e.preventDefault();
    setSaving(true);
    try {
      if (view) await changeView(client, view.id, { name: name.trim(), shared });
      else await makeView(client, { name: name.trim(), shared, query: toViewQuery(filters) });
      tell(view ? "Saved." : `View “${name.trim()}” saved.`);
      close();
    } catch (e) {
      setError(e);
      setSaving(false);
    }
  };
  const ofName = error instanceof Problem ? error.fields.name : undefined;
  return (
    <form onSubmit={(e) => void save(e)}>
      <Stack>
        <TextInput label="Name" data-autofocus required maxLength={200} value={name} onChange={(e) => setName(e.currentTarget.value)} error={ofName} />
        {mayShare && <Switch label="Share with everyone in the account" checked={shared} onChange={(e) => setShared(e.currentTarget.checked)} />}
        {filters.query && !view && (
          <Text size="sm" c="dimmed">
            Search words are not saved with the view.
          </Text>
        )}
        {error !== null && ofName === undefined && (
          <Text size="sm" c="var(--bad)" role="alert">
            {sentence(error)}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={saving} disabled={name.trim() === ""}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
