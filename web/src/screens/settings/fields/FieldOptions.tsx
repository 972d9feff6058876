import { t } from "@lingui/core/macro";
import { Text } from "@mantine/core";
import { useState } from "react";
import { type CustomField, type FieldOption, changeCustomField, givenOptions, optionsOf } from "../../../data/customFields";
import { Question } from "../../../parts/Question";
import { SavedMark, useSaving } from "../../../parts/Saved";
import { Section } from "../Column";
import { Options } from "./Options";
import { optionProblem } from "./words";

/** The options of a field that is in use: each change is saved, and a removal asks first. */
export function FieldOptions({ field }: { field: CustomField }) {
  const saving = useSaving();
  const [drawn, setDrawn] = useState<FieldOption[] | null>(null);
  const [removing, setRemoving] = useState<number | null>(null);
  const options = drawn ?? optionsOf(field);
  const wrong = optionProblem(options);
  const same = (a: FieldOption[], b: FieldOption[]) => a.length === b.length && a.every((o, i) => o.id === b[i]?.id && o.value.trim() === b[i]?.value);

  const save = async (wanted: FieldOption[]) => {
    setDrawn(wanted);
    if (optionProblem(wanted) !== null) return true; // said beside the options; nothing is sent until it is right
    if (same(wanted, optionsOf(field))) {
      setDrawn(null);
      return true;
    }
    const kept = await saving.run(() => changeCustomField(field, { config: { options: givenOptions(wanted) } }));
    setDrawn((now) => (now === wanted ? null : now));
    return kept;
  };
  const change = (wanted: FieldOption[]) => {
    // A name is kept when its box is left; an order and a new option at once.
    const renaming = wanted.length === options.length && wanted.every((o, i) => o.id === options[i]?.id);
    if (renaming) setDrawn(wanted);
    else void save(wanted);
  };
  const gone = removing === null ? "" : (options[removing]?.value ?? "");
  return (
    <Section title={t`Options`} about={t`Listed in this order. Renaming an option changes it everywhere it is used.`} action={<SavedMark state={saving.state} />}>
      <Options options={options} change={change} renamed={() => drawn && void save(drawn)} remove={setRemoving} />
      {(wrong ?? saving.error) && (
        <Text size="sm" c="var(--bad)" role="alert">
          {wrong ?? saving.error}
        </Text>
      )}
      <Question
        opened={removing !== null}
        close={() => setRemoving(null)}
        title={t`Remove ${gone}?`}
        yes={t`Remove option`}
        run={async () => {
          const wanted = options.filter((_, i) => i !== removing);
          await changeCustomField(field, { config: { options: givenOptions(wanted) } });
          setDrawn(null);
        }}
      >
        {t`It can no longer be chosen. It stays where it is already used. A new option with the same name is a different one.`}
      </Question>
    </Section>
  );
}
