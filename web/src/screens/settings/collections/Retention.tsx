import { t } from "@lingui/core/macro";
import { Button, Group, NumberInput, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Collection, type Expiring, type Retention as RetentionNoun, changeCollection, retentionPreviewQuery } from "../../../data/collections";
import { Question } from "../../../parts/Question";
import { Refused } from "../../../parts/states";
import { tell } from "../../../tell";
import { Section } from "../Column";
import { deletes } from "./words";

const forEver: RetentionNoun = { messages_days: null, files_days: null };

/** For how long messages and files are kept. It shows what would be deleted before it is saved. */
export function Retention({ collection }: { collection: Collection }) {
  const saved = collection.retention ?? forEver;
  const [given, setGiven] = useState(saved);
  const [asking, setAsking] = useState(false);
  const [settled] = useDebouncedValue(given, 250);
  const tooLong = given.messages_days !== null && given.files_days !== null && given.files_days > given.messages_days;
  const preview = useQuery({
    ...retentionPreviewQuery(collection.id, settled),
    enabled: isSet(settled) && !(settled.messages_days !== null && settled.files_days !== null && settled.files_days > settled.messages_days),
    placeholderData: keepPreviousData,
  });
  const isChanged = given.messages_days !== saved.messages_days || given.files_days !== saved.files_days;
  const isCurrent = !isSet(given) || (settled === given && preview.data !== undefined && !preview.isPlaceholderData);
  const now = isSet(given) ? preview.data?.now : undefined;
  const save = async () => {
    await changeCollection(collection.id, { retention: given });
    tell(t`Retention saved.`);
  };
  const saving = useMutation({ mutationFn: save });
  return (
    <Section
      title={t`Retention`}
      about={t`Deletes messages and files of requests that are solved or closed. Days count from then, or from the last message if it came later. Titles, fields and names stay.`}
    >
      <Days label={t`Delete messages after (days)`} value={given.messages_days} set={(messages_days) => setGiven({ ...given, messages_days })} />
      <Days
        label={t`Delete files after (days)`}
        description={t`Files are deleted with their messages at the latest.`}
        value={given.files_days}
        set={(files_days) => setGiven({ ...given, files_days })}
        error={tooLong ? t`Files cannot be kept for longer than messages.` : null}
      />
      {!tooLong && (
        <Text size="sm" role="status">
          {isSet(given) ? isCurrent && now && deletes(now) : t`Messages and files are kept forever.`}
        </Text>
      )}
      <Refused error={preview.error ?? saving.error} />
      <Group>
        <Button variant="default" disabled={!isChanged || tooLong || !isCurrent} loading={saving.isPending} onClick={() => (losesSomething(now) ? setAsking(true) : saving.mutate())}>
          {t`Save retention`}
        </Button>
      </Group>
      <Question opened={asking} close={() => setAsking(false)} title={t`Delete older messages and files?`} yes={t`Save and delete`} run={save}>
        {now && deletes(now)} {t`Messages in the chat system, in mailboxes and in linked tickets are not deleted.`}
      </Question>
    </Section>
  );
}

const isSet = (r: RetentionNoun) => r.messages_days !== null || r.files_days !== null;
const losesSomething = (now: Expiring | undefined) => now !== undefined && now.messages.count + now.files.count > 0;

function Days({ label, description, value, set, error }: { label: string; description?: string; value: number | null; set: (days: number | null) => void; error?: string | null }) {
  return (
    <NumberInput
      label={label}
      description={description}
      placeholder={t`Never`}
      value={value ?? ""}
      onChange={(days) => set(typeof days === "number" ? days : null)}
      min={1}
      max={36500}
      clampBehavior="strict"
      allowDecimal={false}
      allowNegative={false}
      error={error}
      styles={{ wrapper: { maxWidth: 160 } }}
    />
  );
}
