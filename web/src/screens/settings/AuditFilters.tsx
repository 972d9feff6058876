import { Button, SimpleGrid, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { membersQuery } from "../../data/members";
import { actions, types } from "./auditKinds";
import { nounOf, verbOf } from "./auditWords";

const route = getRouteApi("/frame/settings/$page");

/** Which entries: kept in the address bar, so that a link shows the same. */
export function AuditFilters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const members = useQuery(membersQuery).data ?? [];
  const filter = (change: Record<string, string | undefined>) => void navigate({ search: (s) => ({ ...s, ...change }), replace: true });
  const filtered = ["actor", "action", "type", "id", "from", "to"].some((f) => search[f]);
  return (
    <search aria-label="Filters">
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm" verticalSpacing="sm">
        <Select
          label="Person"
          placeholder="Anyone"
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Anyone" }}
          data={members.map((m) => ({ value: String(m.id), label: m.name }))}
          value={search.actor ?? null}
          onChange={(v) => filter({ actor: v ?? undefined })}
        />
        <Select
          label="Action"
          placeholder="Any action"
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Any action" }}
          data={actions.map((a) => ({ value: a, label: `${a.slice(0, a.indexOf(".")).replaceAll("_", " ")}: ${verbOf(a)}` }))}
          value={search.action ?? null}
          onChange={(v) => filter({ action: v ?? undefined })}
        />
        <Select
          label="Type"
          placeholder="Any type"
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Any type" }}
          data={types.map((t) => ({ value: t, label: nounOf(t) }))}
          value={search.type ?? null}
          onChange={(v) => filter({ type: v ?? undefined })}
        />
        <Id value={search.id ?? ""} change={(id) => filter({ id: id || undefined })} />
        <TextInput label="From" type="date" value={search.from ?? ""} onChange={(e) => filter({ from: e.currentTarget.value || undefined })} />
        <TextInput label="To" type="date" value={search.to ?? ""} onChange={(e) => filter({ to: e.currentTarget.value || undefined })} />
      </SimpleGrid>
      {filtered && (
        <Button variant="subtle" mt="xs" px={4} onClick={() => void navigate({ search: {}, replace: true })}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

/** Asked for when it is typed to the end, not letter by letter. */
function Id({ value, change }: { value: string; change: (id: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const commit = () => {
    if (typed.trim() !== value) change(typed.trim());
  };
  return (
    <TextInput
      label="ID"
      placeholder="Any"
      value={typed}
      onChange={(e) => setTyped(e.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(e) => {
        if (e.key === "Enter") commit();
      }}
    />
  );
}
