// The time before: the same question about as many days, right before. It is asked once
// somebody points at a figure, since most figures are never pointed at.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Query, type Row, type Value, dayOf, insightsQuery, measured, numberOf, valueOf } from "../../data/insights";
import type { Unit } from "./format";
import { type Period, before, buckets } from "./period";
import { type Question, queryOf } from "./question";

/** The rows of a query about the time before, once they are wanted; and what to put on the element whose figures want them. */
export function useBefore(query: Query): { rows: Row[] | undefined; wanting: { onPointerEnter: () => void; onFocus: () => void } } {
  const [wanted, setWanted] = useState(false);
  const rows = useQuery({ ...insightsQuery(query), enabled: wanted }).data;
  const want = () => setWanted(true);
  return { rows, wanting: { onPointerEnter: want, onFocus: want } };
}

export type Previous = (groups: Value[], bucket: number, measure: string, unit: Unit) => number | null;

/** Finds the number of the same group in the bucket of the same place; undefined until the rows are there. */
export function previousOf(question: Question, period: Period, rows: Row[] | undefined): Previous | undefined {
  if (!rows) return undefined;
  const { by, each, time } = question;
  const days = each ? buckets(before(period), each) : [""];
  const key = (groups: Value[], day: string) => JSON.stringify([groups, day]);
  const found = new Map(
    rows.map((r) => [
      key(
        by.map((d) => valueOf(r, d)),
        each ? dayOf(r, time, each) : "",
      ),
      r,
    ]),
  );
  return (groups, bucket, measure, unit) => {
    const row = found.get(key(groups, days[bucket] ?? "none"));
    return each || by.length > 0 ? measured(row, measure, unit) : numberOf(row, measure);
  };
}

export const beforeQuery = (question: Question, period: Period) => queryOf(question, before(period));
