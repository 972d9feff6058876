import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Group, Text } from "@mantine/core";
import { IconDownload, IconHistory } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type AuditFilter, type AuditLog as Entry, auditLogsQuery, exportAddress } from "../../data/auditLogs";
import { Empty, Failure, Loading } from "../../parts/states";
import { AuditEntry } from "./AuditEntry";
import { AuditFilters } from "./AuditFilters";
import { SettingsColumn } from "./Column";
import { Rows } from "./Rows";

const route = getRouteApi("/frame/settings/$page");

/** What was done in the account, by whom, the newest first. */
export function AuditLog() {
  const filter = filterOf(route.useSearch());
  const log = useInfiniteQuery({ ...auditLogsQuery(filter), placeholderData: keepPreviousData });
  const entries: Entry[] = log.data?.pages.flatMap((p) => p.audit_logs) ?? [];
  return (
    <SettingsColumn
      title={t`Audit log`}
      about={t`Every change is recorded. Entries cannot be changed or deleted.`}
      action={
        <Group gap="xs">
          <Button component="a" href={exportAddress(filter, "csv")} download variant="default" leftSection={<IconDownload size={14} aria-hidden />}>
            CSV
          </Button>
          <Button component="a" href={exportAddress(filter, "jsonl")} download variant="default" leftSection={<IconDownload size={14} aria-hidden />}>
            {t`JSON Lines`}
          </Button>
        </Group>
      }
    >
      <AuditFilters />
      {log.isPending && <Loading shape="rows" />}
      {log.isError && <Failure error={log.error} retry={() => void log.refetch()} />}
      {log.data && entries.length === 0 && (
        <Empty icon={IconHistory} title={t`No matching entries`}>
          {t`Remove a filter or choose a longer period.`}
        </Empty>
      )}
      {entries.length > 0 && (
        <Rows label={t`Audit log`}>
          {entries.map((e) => (
            <AuditEntry key={e.id} entry={e} />
          ))}
        </Rows>
      )}
      {log.hasNextPage && (
        <Button variant="default" w="fit-content" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {t`Show more`}
        </Button>
      )}
      {log.data && !log.hasNextPage && entries.length > 0 && (
        <Text size="sm" c="dimmed">
          <Trans>
            This is the end of the log. You can export it as a file. The{" "}
            <Anchor href="/docs/" underline="always" inherit>
              API documentation
            </Anchor>{" "}
            describes the format.
          </Trans>
        </Text>
      )}
    </SettingsColumn>
  );
}

/** What the address bar asks for. Days are those of this place, the last one included. */
function filterOf(search: Record<string, string | undefined>): AuditFilter {
  const actor = Number(search.actor);
  const from = dayOf(search.from);
  const to = dayOf(search.to);
  // The log has what is strictly after a moment.
  if (from) from.setMilliseconds(-1);
  if (to) to.setDate(to.getDate() + 1);
  return {
    ...(actor > 0 && { actor }),
    ...(search.action && { action: search.action }),
    ...(search.type && { resource_type: search.type }),
    ...(search.id && { resource_id: search.id }),
    ...(from && { after: from.toISOString() }),
    ...(to && { before: to.toISOString() }),
  };
}

function dayOf(text: string | undefined): Date | null {
  const day = text && /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00`) : null;
  return day && !Number.isNaN(day.getTime()) ? day : null;
}
