import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { isDay } from "../../parts/days";
import { type Period, ranges, usualRange } from "./period";

const own = "own";

/** Which part of time: one that has a name, or from one day to another. */
export function RangePicker({ range, period, change }: { range: string | undefined; period: Period; change: (word: string | undefined) => void }) {
  const listed = ranges.some((r) => r.word === (range ?? usualRange));
  // Somebody may have saved other words with the API. They are kept.
  const phrase = !listed && range !== undefined && !range.includes("..") ? range : null;
  const named = listed || phrase !== null;
  const [draft, setDraft] = useState<Period | null>(null);
  const days = draft ?? period;
  const set = (part: Partial<Period>) => {
    const wanted = { ...days, ...part };
    // Half of a date is typed before the whole; what makes no sense yet waits for the rest.
    if (isDay(wanted.from) && isDay(wanted.to) && wanted.from <= wanted.to) {
      setDraft(null);
      change(`${wanted.from}..${wanted.to}`);
    } else setDraft(wanted);
  };
  return (
    <>
      <Select
        label={t`Period`}
        allowDeselect={false}
        value={named ? (range ?? usualRange) : own}
        data={[...(phrase ? [{ value: phrase, label: phrase }] : []), ...ranges.map((r) => ({ value: r.word as string, label: i18n._(r.label) })), { value: own, label: t`Custom range` }]}
        onChange={(word) => {
          setDraft(null);
          if (word === own) change(`${period.from}..${period.to}`);
          else if (word) change(word === usualRange ? undefined : word);
        }}
      />
      {!named && (
        <>
          <TextInput type="date" label={t`First day`} value={days.from} onChange={(e) => set({ from: e.currentTarget.value })} />
          <TextInput
            type="date"
            label={t`Last day`}
            value={days.to}
            onChange={(e) => set({ to: e.currentTarget.value })}
            error={draft !== null && isDay(draft.from) && isDay(draft.to) && t`The last day is before the first.`}
          />
        </>
      )}
    </>
  );
}
