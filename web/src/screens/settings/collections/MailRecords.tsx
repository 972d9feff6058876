import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type Collection, type EmailConfig, mailRecordsQuery } from "../../../data/collections";
import { CopyLine } from "../../../parts/Copy";
import { Loading, Refused } from "../../../parts/states";
import { Section } from "../Column";
import { Word } from "../Word";
import classes from "./Mail.module.css";

/** The DNS records that mail needs, ready to copy, and whether they are there. */
export function MailRecords({ collection, config }: { collection: Collection; config: EmailConfig }) {
  const { data: records, error, isFetching, refetch } = useQuery(mailRecordsQuery(collection.id, config.address));
  return (
    <Section
      title="DNS records"
      about="Set these where your domain is managed, so that mail arrives and is not taken for spam."
      action={
        <Button variant="default" size="compact-sm" loading={isFetching} onClick={() => void refetch()}>
          Check again
        </Button>
      }
    >
      <Refused error={error} />
      {!records && !error && <Loading rows={3} />}
      {records?.length === 0 && <Text c="dimmed">No records are needed.</Text>}
      {records && records.length > 0 && (
        <ul className={classes.records} aria-label="DNS records">
          {records.map((r) => (
            <li key={`${r.type} ${r.name} ${r.purpose}`}>
              <div className={classes.recordHead}>
                <b>{r.type} record</b>
                {r.found === null ? <Word tone="plain">Not checked</Word> : r.found ? <Word tone="good">Found</Word> : <Word tone="warn">Missing</Word>}
              </div>
              <Text size="sm">
                {r.purpose} {r.detail}
              </Text>
              <CopyLine label="Name" text={r.name} />
              <CopyLine label="Value" text={r.value} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
