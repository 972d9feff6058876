import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Button, MultiSelect, Select } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type Meta, type Measure, short } from "../../data/insights";
import { FilterLine } from "./FilterLine";
import classes from "./Insights.module.css";
import { RangePicker } from "./RangePicker";
import { measureTitle, timeTitle, titleOf } from "./names";
import { type Granularity, type Period, byEachChoice } from "./period";
import { TargetFields } from "./TargetFields";
import { type ChartKind, type Question, chartKinds } from "./question";

const groups: { label: MessageDescriptor; has: (name: string) => boolean }[] = [
  { label: msg`Virtual agent`, has: (n) => n.startsWith("agent_") || n.startsWith("virtual_agent_") },
  { label: msg`Satisfaction`, has: (n) => n.startsWith("csat_") },
  { label: msg`SLA`, has: (n) => n.includes("sla") || n.includes("breached") },
  { label: msg`Resolution`, has: (n) => n.startsWith("resolution_time") || n.startsWith("first_resolution_time") },
  { label: msg`Replies`, has: (n) => n.startsWith("response_times") },
  { label: msg`First response`, has: (n) => n.startsWith("first_response_time") },
  { label: msg`Requests`, has: () => true },
];

/** The measures by what they are about, those that most people ask for first. */
function grouped(meta: Meta) {
  const of = (m: Measure) => groups.find((g) => g.has(short(m.name)));
  return groups.toReversed().map((group) => ({
    group: i18n._(group.label),
    items: meta.measures.filter((m) => of(m) === group).map((m) => ({ value: short(m.name), label: measureTitle(m.name, meta) })),
  }));
}

// More groups than this make a table that nobody reads.
const mostDimensions = 3;
const mostMeasures = 12;

/** What is asked: measures, groups, time, filters. */
export function Pick({ question, meta, period, change }: { question: Question; meta: Meta; period: Period; change: (part: Partial<Question>) => void }) {
  const first = meta.filters[0];
  return (
    <section className={classes.pick} aria-label={t`Query`}>
      <MultiSelect
        label={t`Measures`}
        placeholder={question.measures.length === 0 ? t`Choose measures` : ""}
        searchable
        hidePickedOptions
        maxValues={mostMeasures}
        data={grouped(meta)}
        value={question.measures}
        onChange={(measures) => change({ measures })}
        comboboxProps={{ shadow: "md" }}
      />
      <MultiSelect
        label={t`Group by`}
        placeholder={question.by.length === 0 ? t`No grouping` : ""}
        searchable
        hidePickedOptions
        maxValues={mostDimensions}
        data={meta.dimensions.map((d) => ({ value: short(d.name), label: titleOf(d.name, meta.dimensions) }))}
        value={question.by}
        onChange={(by) => change({ by })}
        comboboxProps={{ shadow: "md" }}
      />
      <RangePicker range={question.range} period={period} change={(range) => change({ range })} />
      <Select
        label={t`Interval`}
        allowDeselect={false}
        data={[{ value: "none", label: t`Whole period` }, ...meta.granularities.map((g) => ({ value: g, label: byEachChoice(g as Granularity) }))]}
        value={question.each ?? "none"}
        onChange={(each) => change({ each: each === "none" ? null : (each as Granularity) })}
      />
      <Select
        label={t`Date field`}
        allowDeselect={false}
        data={meta.time_dimensions.map((time) => ({ value: short(time.name), label: timeTitle(time) }))}
        value={question.time}
        onChange={(time) => time && change({ time })}
      />
      <Select
        label={t`Show as`}
        placeholder={t({ message: "Automatic", context: "kind of chart" })}
        clearable
        data={chartKinds.map((k) => ({ value: k.value, label: i18n._(k.label) }))}
        value={question.chart}
        onChange={(chart) => change({ chart: chart as ChartKind | null })}
      />
      <TargetFields question={question} meta={meta} change={change} />
      <div className={classes.pick} role="group" aria-label={t`Filters`}>
        {question.filters.map((f, i) => (
          <FilterLine
            key={i}
            filter={f}
            meta={meta}
            change={(changed) => change({ filters: question.filters.with(i, changed) })}
            remove={() => change({ filters: question.filters.toSpliced(i, 1) })}
          />
        ))}
        {first && (
          <Button variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={() => change({ filters: [...question.filters, { member: first.name, operator: "equals", values: [] }] })}>
            {t`Add filter`}
          </Button>
        )}
      </div>
    </section>
  );
}
