import { Button, MultiSelect, Select } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type Meta, type Measure, short } from "../../data/insights";
import { FilterLine } from "./FilterLine";
import classes from "./Insights.module.css";
import { RangePicker } from "./RangePicker";
import { titleOf } from "./names";
import type { Granularity, Period } from "./period";
import { TargetFields } from "./TargetFields";
import { type ChartKind, type Question, chartKinds } from "./question";

const groups: { label: string; has: (name: string) => boolean }[] = [
  { label: "Virtual agent", has: (n) => n.startsWith("agent_") || n.startsWith("virtual_agent_") },
  { label: "Satisfaction", has: (n) => n.startsWith("csat_") },
  { label: "SLA", has: (n) => n.includes("sla") || n.includes("breached") },
  { label: "First response", has: (n) => n.startsWith("first_response_time") },
  { label: "Replies", has: (n) => n.startsWith("response_times") },
  { label: "Resolution", has: (n) => n.startsWith("resolution_time") || n.startsWith("first_resolution_time") },
];
const counting = "Requests";

/** The measures by what they are about, those that most people ask for first. */
function grouped(measures: Measure[]) {
  const of = (m: Measure) => groups.find((g) => g.has(short(m.name)))?.label ?? counting;
  return [counting, "First response", "Replies", "Resolution", "SLA", "Satisfaction", "Virtual agent"].map((group) => ({
    group,
    items: measures.filter((m) => of(m) === group).map((m) => ({ value: short(m.name), label: short(m.name) === "count" ? "Requests" : m.title })),
  }));
}

// More groups than this make a table that nobody reads.
const mostDimensions = 3;
const mostMeasures = 12;

/** What is asked: measures, groups, time, filters. */
export function Pick({ question, meta, period, change }: { question: Question; meta: Meta; period: Period; change: (part: Partial<Question>) => void }) {
  const first = meta.filters[0];
  return (
    <section className={classes.pick} aria-label="Query">
      <MultiSelect
        label="Measures"
        placeholder={question.measures.length === 0 ? "Choose measures" : ""}
        searchable
        hidePickedOptions
        maxValues={mostMeasures}
        data={grouped(meta.measures)}
        value={question.measures}
        onChange={(measures) => change({ measures })}
        comboboxProps={{ shadow: "md" }}
      />
      <MultiSelect
        label="Group by"
        placeholder={question.by.length === 0 ? "No grouping" : ""}
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
        label="Interval"
        allowDeselect={false}
        data={[{ value: "none", label: "Whole period" }, ...meta.granularities.map((g) => ({ value: g, label: `By ${g}` }))]}
        value={question.each ?? "none"}
        onChange={(each) => change({ each: each === "none" ? null : (each as Granularity) })}
      />
      <Select
        label="Date field"
        allowDeselect={false}
        data={meta.time_dimensions.map((t) => ({ value: short(t.name), label: t.meaning.replace(/\.$/, "") }))}
        value={question.time}
        onChange={(time) => time && change({ time })}
      />
      <Select label="Show as" placeholder="What fits" clearable data={chartKinds} value={question.chart} onChange={(chart) => change({ chart: chart as ChartKind | null })} />
      <TargetFields question={question} meta={meta} change={change} />
      <div className={classes.pick} role="group" aria-label="Filters">
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
            Add filter
          </Button>
        )}
      </div>
    </section>
  );
}
