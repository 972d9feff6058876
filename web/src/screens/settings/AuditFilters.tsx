import { t } from "@lingui/core/macro";
import { Button, SimpleGrid, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { membersQuery } from "../../data/members";
import { actions } from "./auditKinds";
import { actionName, typeNames } from "./auditWords";

const route = getRouteApi("/frame/settings/$page");

/** Which entries: kept in the address bar, so that a link shows the same. */
export function AuditFilters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const members = useQuery(membersQuery).data ?? [];
  const filter = (change: Record<string, string | undefined>) => void navigate({ search: (s) => ({ ...s, ...change }), replace: true });
  const filtered = ["actor", "action", "type", "id", "from", "to"].some((f) => search[f]);
  return (
    <search aria-label={t`Filters`}>
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm" verticalSpacing="sm">
        <Select
          label={t`Person`}
          placeholder={t`Anyone`}
          searchable
          clearable
          clearButtonProps={{ "aria-label": t`Anyone` }}
          data={members.map((m) => ({ value: String(m.id), label: m.name }))}
          value={search.actor ?? null}
          onChange={(v) => filter({ actor: v ?? undefined })}
        />
        <Select
          label={t`Action`}
          placeholder={t`Any action`}
          searchable
          clearable
          clearButtonProps={{ "aria-label": t`Any action` }}
          data={actions.map((a) => ({ value: a, label: actionName(a) }))}
          value={search.action ?? null}
          onChange={(v) => filter({ action: v ?? undefined })}
        />
        <Select
          label={t`Type`}
          placeholder={t`Any type`}
          searchable
          clearable
          clearButtonProps={{ "aria-label": t`Any type` }}
          data={typeNames()}
          value={search.type ?? null}
          onChange={(v) => filter({ type: v ?? undefined })}
        />
        <Id value={search.id ?? ""} change={(id) => filter({ id: id || undefined })} />
        <TextInput label={t`From`} type="date" value={search.from ?? ""} onChange={(e) => filter({ from: e.currentTarget.value || undefined })} />
        <TextInput label={t`To`} type="date" value={search.to ?? ""} onChange={(e) => filter({ to: e.currentTarget.value || undefined })} />
      </SimpleGrid>
      {filtered && (
        <Button variant="subtle" mt="xs" px={4} onClick={() => void navigate({ search: {}, replace: true })}>
          {t`Clear filters`}
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
      label={t`ID`}
      placeholder={t`Any`}
      value={typed}
      onChange={(e) => setTyped(e.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(e) => {
        if (e.key === "Enter") commit();
      }}
    />
  );
}
