import { t } from "@lingui/core/macro";
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../api/client";
import { type Collection, type EmailConfig, mailRecordsQuery } from "../../../data/collections";
import { CopyLine } from "../../../parts/Copy";
import { Loading, Refused } from "../../../parts/states";
import { Section } from "../Column";
import { Word } from "../Word";
import classes from "./Mail.module.css";

type MailRecordNoun = Schemas["DNSRecord"];

/** The DNS records that mail needs, ready to copy, and whether they are there. */
export function MailRecords({ collection, config }: { collection: Collection; config: EmailConfig }) {
  const { data: records, error, isFetching, refetch } = useQuery(mailRecordsQuery(collection.id, config.address));
  return (
    <Section
      title={t`DNS records`}
      about={t`Add these where your domain is managed, so that mail arrives and is not marked as spam.`}
      action={
        <Button variant="default" size="compact-sm" loading={isFetching} onClick={() => void refetch()}>
          {t`Check again`}
        </Button>
      }
    >
      <Refused error={error} />
      {!records && !error && <Loading rows={3} />}
      {records?.length === 0 && <Text c="dimmed">{t`No records are needed.`}</Text>}
      {records && records.length > 0 && (
        <ul className={classes.records} aria-label={t`DNS records`}>
          {records.map((r) => (
            <MailRecord key={`${r.type} ${r.name} ${r.purpose}`} record={r} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function MailRecord({ record: { type, name, value, purpose, detail, found } }: { record: MailRecordNoun }) {
  return (
    <li>
      <div className={classes.recordHead}>
        <b>{t`${type} record`}</b>
        {found === null ? <Word tone="plain">{t`Not checked`}</Word> : found ? <Word tone="good">{t`Found`}</Word> : <Word tone="warn">{t`Missing`}</Word>}
      </div>
      <Text size="sm">
        {purpose} {detail}
      </Text>
      <CopyLine label={t`Name`} text={name} />
      <CopyLine label={t`Value`} text={value} />
    </li>
  );
}
