import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Table, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AuditLog } from "../../data/auditLogs";
import { membersQuery } from "../../data/members";
import { dateAndTime, fullTime } from "../../parts/time";
import classes from "./AuditEntry.module.css";
import { deedOf, differencesOf, wayOf } from "./auditWords";
import { Row } from "./Rows";

/** An entry as a sentence, and what was before and after. */
export function AuditEntry({ entry: e }: { entry: AuditLog }) {
  const [open, setOpen] = useState(false);
  const members = useQuery(membersQuery).data;
  const member = e.resource_type === "Member" ? members?.find((m) => String(m.id) === e.resource_id)?.name : undefined;
  const differences = differencesOf(e);
  const { ip } = e;
  const details = [wayOf(e), ip && t`from ${ip}`].filter(Boolean).join(", ");
  // As elements, since tags in a text would be taken for those of <Trans>.
  const actor = <b>{e.actor.name}</b>;
  const deed = <>{deedOf(e, member)}</>;
  return (
    <Row
      top
      action={
        <Text size="sm" c="dimmed" title={fullTime(e.at)}>
          {dateAndTime(e.at)}
        </Text>
      }
    >
      <Text>
        {/* eslint-disable-next-line lingui/no-single-variables-to-translate -- other languages have a verb between them */}
        <Trans comment="An entry of the audit log: somebody, and what they did.">
          {actor} {deed}
        </Trans>
        {details && (
          <Text span c="dimmed">
            , {details}
          </Text>
        )}
      </Text>
      {differences.length > 0 && (
        <UnstyledButton className={classes.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t`Hide` : summary(e, differences.length)}
        </UnstyledButton>
      )}
      {open && (
        <div className={classes.table}>
          <Table fz="sm" verticalSpacing={4} horizontalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t`Field`}</Table.Th>
                {e.before !== null && <Table.Th>{t({ message: "Before", context: "a change" })}</Table.Th>}
                {e.after !== null && <Table.Th>{t({ message: "After", context: "a change" })}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {differences.map((d) => (
                <Table.Tr key={d.field}>
                  <Table.Th scope="row" fw={500}>
                    {d.field}
                  </Table.Th>
                  {e.before !== null && <Table.Td>{d.before ?? <Nothing />}</Table.Td>}
                  {e.after !== null && <Table.Td>{d.after ?? <Nothing />}</Table.Td>}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Row>
  );
}

function summary(e: AuditLog, count: number): string {
  if (e.before === null || e.after === null) return t`Details`;
  return plural(count, { one: "# change", other: "# changes" });
}

function Nothing() {
  return (
    <Text span c="dimmed" fz="sm">
      {t`empty`}
    </Text>
  );
}
