import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Meta, full, insightsQuery, measured, numberOf, rowsByDay } from "../../data/insights";
import { Failure } from "../../parts/states";
import { Figure } from "./Figure";
import classes from "./Insights.module.css";
import type { Of } from "./behind";
import { measureTitle } from "./names";
import { type Period, before, buckets, fitting } from "./period";
import { type Question, isWhole, queryOf } from "./question";

const lessIsBetter = /breached|_time/;
const moreIsBetter = /percent|csat_score_|resolved/;

/** The measures of a question as large numbers, each with what became of it. */
export function Numbers({ question, period, meta, zone }: { question: Question; period: Period; meta: Meta; zone: string }) {
  const each = fitting(period);
  const ask = (p: Period, granularity: typeof each | null) => ({ ...insightsQuery(queryOf({ ...question, by: [], each: granularity }, p)), placeholderData: keepPreviousData });
  const whole = useQuery(ask(period, null));
  const was = useQuery(ask(before(period), null));
  const series = useQuery(ask(period, each));
  const failed = [whole, was, series].find((q) => q.isError);
  if (failed) return <Failure error={failed.error} retry={() => void failed.refetch()} />;
  const byDay = rowsByDay(series.data ?? [], question.time, each);
  return (
    <div className={classes.numbers} aria-busy={whole.isPending}>
      {question.measures.map((name) => {
        const measure = meta.measures.find((m) => m.name === full(name));
        const of: Of = { measure: name, time: question.time, period, zone, groups: [], filters: question.filters.filter(isWhole) };
        return whole.data ? (
          <Figure
            key={name}
            title={measureTitle(name, meta)}
            measure={measure}
            value={numberOf(whole.data[0], name)}
            was={was.data && numberOf(was.data[0], name)}
            trend={buckets(period, each).map((day) => measured(byDay.get(day), name, measure?.unit))}
            better={lessIsBetter.test(name) ? "less" : moreIsBetter.test(name) ? "more" : null}
            of={of}
            target={question.target}
          />
        ) : (
          <Skeleton key={name} height={112} />
        );
      })}
    </div>
  );
}
