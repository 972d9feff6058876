import { t } from "@lingui/core/macro";
import { Button, Group, NumberInput, Select } from "@mantine/core";
import { IconTargetArrow } from "@tabler/icons-react";
import type { Target } from "../../data/explorations";
import { type Meta, full, short } from "../../data/insights";
import classes from "./Insights.module.css";
import { measureTitle } from "./names";
import type { Question } from "./question";

/** Of these, more is better; of lengths and breaches, less. */
const moreIsBetter = /count|resolved|rate_percent|response_percent|csat_score/;
const lessIsBetter = /breached|_time/;

/** What one of the measures should be. */
export function TargetFields({ question, meta, change }: { question: Question; meta: Meta; change: (part: Partial<Question>) => void }) {
  const { target, measures } = question;
  const first = measures[0];
  if (!first) return null;
  const usual = (measure: string): Target["bound"] => (!lessIsBetter.test(measure) && moreIsBetter.test(measure) ? "at_least" : "at_most");
  if (!target)
    return (
      <Button
        variant="default"
        leftSection={<IconTargetArrow size={14} aria-hidden />}
        onClick={() => change({ target: { measure: full(first), bound: usual(first), value: meta.measures.find((m) => m.name === full(first))?.unit === "minutes" ? 60 : 10 } })}
      >
        {t`Add target`}
      </Button>
    );
  const set = (part: Partial<Target>) => change({ target: { ...target, ...part } });
  const unit = meta.measures.find((m) => m.name === target.measure)?.unit;
  return (
    <div className={classes.pick} role="group" aria-label={t`Target`}>
      {measures.length > 1 && (
        <Select
          label={t`Target for`}
          allowDeselect={false}
          data={measures.map((m) => ({ value: m, label: measureTitle(m, meta) }))}
          value={short(target.measure)}
          onChange={(m) => m && set({ measure: full(m), bound: usual(m) })}
        />
      )}
      <Group gap={6} wrap="nowrap" align="flex-end">
        <Select
          label={t`Target`}
          allowDeselect={false}
          data={[
            { value: "at_most", label: t`At most` },
            { value: "at_least", label: t`At least` },
          ]}
          value={target.bound}
          onChange={(bound) => bound && set({ bound: bound as Target["bound"] })}
        />
        <NumberInput
          aria-label={unit === "minutes" ? t`Target in minutes` : unit === "percent" ? t`Target in percent` : unit === "points" ? t`Target in points` : t`Target in requests`}
          suffix={unit === "minutes" ? ` ${t({ message: "min", comment: "Minutes, in short" })}` : unit === "percent" ? " %" : ""}
          min={0}
          max={1_000_000_000}
          value={target.value}
          onChange={(value) => typeof value === "number" && set({ value })}
        />
      </Group>
      <Button variant="subtle" size="compact-xs" onClick={() => change({ target: null })}>
        {t`Remove target`}
      </Button>
    </div>
  );
}
