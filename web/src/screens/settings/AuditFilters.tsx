import { Button, SimpleGrid, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { AuditLog } from "../../data/auditLogs";
import { membersQuery } from "../../data/members";
import { nounOf } from "./auditWords";
import { settingsPageRoute } from "./routes";

const types: AuditLog["resource_type"][] = [
  "Account",
  "AgentSession",
  "Announcement",
  "AuditLog",
  "Channel",
  "Collection",
  "Customer",
  "CustomField",
  "Integration",
  "Member",
  "Message",
  "QuickReply",
  "Request",
  "SandboxToken",
  "Schedule",
  "Session",
  "SLAPolicy",
  "Survey",
  "Ticket",
  "TicketForm",
  "Token",
  "View",
  "WaitingMessage",
  "Webhook",
];

/** Which entries: kept in the address bar, so that a link shows the same. */
export function AuditFilters() {
  const search = settingsPageRoute.useSearch();
  const navigate = useNavigate({ from: settingsPageRoute.fullPath });
  const members = useQuery(membersQuery).data ?? [];
  const filter = (change: Record<string, string | undefined>) => void navigate({ search: (s) => ({ ...s, ...change }), replace: true });
  const filtered = ["actor", "type", "id", "from", "to"].some((f) => search[f]);
  return (
    <search aria-label="Entries">
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm" verticalSpacing="sm">
        <Select
          label="Who"
          placeholder="Anybody"
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Anybody" }}
          data={members.map((m) => ({ value: String(m.id), label: m.name }))}
          value={search.actor ?? null}
          onChange={(v) => filter({ actor: v ?? undefined })}
        />
        <Select
          label="What kind of thing"
          placeholder="Any"
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Any" }}
          data={types.map((t) => ({ value: t, label: nounOf(t) }))}
          value={search.type ?? null}
          onChange={(v) => filter({ type: v ?? undefined })}
        />
        <Id value={search.id ?? ""} change={(id) => filter({ id: id || undefined })} />
        <TextInput label="From" type="date" value={search.from ?? ""} onChange={(e) => filter({ from: e.currentTarget.value || undefined })} />
        <TextInput label="To" type="date" value={search.to ?? ""} onChange={(e) => filter({ to: e.currentTarget.value || undefined })} />
        {filtered && (
          <Button variant="subtle" style={{ alignSelf: "end" }} onClick={() => void navigate({ search: {}, replace: true })}>
            Show everything
          </Button>
        )}
      </SimpleGrid>
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
      label="Its number"
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
