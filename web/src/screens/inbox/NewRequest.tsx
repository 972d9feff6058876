import { t } from "@lingui/core/macro";
import { Autocomplete, Button, Checkbox, Select, Text, TextInput, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { collectionsQuery } from "../../data/collections";
import { useIsAdmin, useMe } from "../../data/me";
import { usersFound } from "../../data/people";
import { type Priority, makeRequest } from "../../data/requests";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { priorityLooks } from "../../parts/request";
import { Loading } from "../../parts/states";
import { tell } from "../../tell";

type Props = { close: () => void; made: (id: number) => void };

/** A request that came by phone or in the hallway. */
export function NewRequest({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Dialog opened={opened} onClose={props.close} title={t`New request`}>
      {opened && <Where {...props} />}
    </Dialog>
  );
}

/** The form, if there is a collection for what it makes. */
function Where(props: Props) {
  const admin = useIsAdmin();
  const all = useQuery(collectionsQuery).data;
  const main = useMe()?.account.api_collection_id ?? null;
  if (!all) return <Loading rows={4} />;
  const collections = all.filter((c) => c.kind === "api").sort((a, b) => Number(b.id === main) - Number(a.id === main));
  if (collections[0]) return <Form {...props} collections={collections.map((c) => ({ value: String(c.id), label: c.name }))} />;
  return (
    <>
      <Text size="sm">
        {admin
          ? t`There is no collection for requests you create yourself. Create one of the kind “API and ticket forms” first.`
          : t`There is no collection for requests you create yourself. Ask an admin to create one of the kind “API and ticket forms”, or to give you access to one.`}
      </Text>
      {admin && (
        <Button mt="md" component={Link} to="/settings/collections" onClick={props.close}>
          {t`Go to collections`}
        </Button>
      )}
    </>
  );
}

const priorities = () => (["urgent", "high", "normal", "low"] as Priority[]).map((p) => ({ value: p, label: priorityLooks[p].label }));

/** What the API takes as plain text: without it, < and & would begin HTML. */
const plain = (text: string) => text.trim().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function Form({ close, made, collections }: Props & { collections: { value: string; label: string }[] }) {
  const user = useMe()?.user ?? null;
  // The same words sent again are the same request; others are another call.
  const sent = useRef({ words: "", once: "" });
  const [draft, setDraft] = useState({ email: "", title: "", text: "", collection: collections[0]!.value, priority: "normal" as Priority, mine: user !== null });
  const [query] = useDebouncedValue(draft.email.trim(), 200);
  const known = useQuery(usersFound(query)).data ?? [];
  const set = (some: Partial<typeof draft>) => setDraft({ ...draft, ...some });
  const create = () => {
    const words = JSON.stringify(draft);
    if (sent.current.words !== words) sent.current = { words, once: crypto.randomUUID() };
    return makeRequest(
      {
        collection_id: Number(draft.collection),
        title: draft.title.trim(),
        description: plain(draft.text),
        priority: draft.priority,
        ...(draft.email.trim() !== "" && { requester_email: draft.email.trim() }),
        ...(draft.mine && user && { assignee_id: user.id }),
      },
      sent.current.once,
    );
  };
  const done = (id: number) => {
    close();
    tell(t`Request created.`);
    made(id);
  };
  return (
    <DialogForm send={create} done={done} close={close} yes={t`Create request`} ready={draft.title.trim() !== "" && draft.text.trim() !== ""}>
      {(wrong) => (
        <>
          <Autocomplete
            label={t`Customer’s email`}
            description={t`Who the request is from. Leave it empty if it is from you.`}
            data-autofocus
            data={[...new Set(known.flatMap((u) => u.email ?? []))]}
            filter={({ options }) => options} // the server has searched, also by name
            value={draft.email}
            onChange={(email) => set({ email })}
            error={wrong("requester_email")}
          />
          <TextInput label={t`Title`} required maxLength={300} value={draft.title} onChange={(e) => set({ title: e.currentTarget.value })} error={wrong("title")} />
          <Textarea label={t`What they need`} required autosize minRows={3} maxRows={10} value={draft.text} onChange={(e) => set({ text: e.currentTarget.value })} error={wrong("description")} />
          {collections.length > 1 && (
            <Select label={t`Collection`} allowDeselect={false} data={collections} value={draft.collection} onChange={(c) => c && set({ collection: c })} error={wrong("collection_id")} />
          )}
          <Select label={t`Priority`} allowDeselect={false} data={priorities()} value={draft.priority} onChange={(p) => p && set({ priority: p as Priority })} error={wrong("priority")} />
          {user && <Checkbox label={t`Assign to me`} checked={draft.mine} onChange={(e) => set({ mine: e.currentTarget.checked })} error={wrong("assignee_id")} />}
        </>
      )}
    </DialogForm>
  );
}
