import { t } from "@lingui/core/macro";
import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Exploration } from "../../data/explorations";
import { type Filter, type Meta, insightsQuery } from "../../data/insights";
import { AppLink } from "../../parts/AppLink";
import { Failure } from "../../parts/states";
import { ExplorerChart } from "./ExplorerChart";
import { ExplorerTable } from "./ExplorerTable";
import classes from "./Insights.module.css";
import { Numbers } from "./Numbers";
import { useNames } from "./names";
import { periodOf } from "./period";
import { type Question, queryOf, savedQuestion, searchOf } from "./question";

/** An exploration on a dashboard: over the dashboard's part of time, with its filters as well. */
export function ExplorationCard({ exploration, range, filters, meta, zone }: { exploration: Exploration; range: string | undefined; filters: Filter[]; meta: Meta; zone: string }) {
  const saved = savedQuestion(exploration);
  const question: Question = { ...saved, range, filters: [...saved.filters, ...filters] };
  const period = periodOf(range, zone);
  const numbers = question.chart === "number";
  const answer = useQuery({ ...insightsQuery(queryOf(question, period)), placeholderData: keepPreviousData, enabled: !numbers });
  const rows = answer.data ?? [];
  const names = useNames(question.by, rows, meta);
  const { name } = exploration;
  const frame = (inside: ReactNode) => (
    <section className={classes.card} aria-label={name}>
      <h2 className={classes.cardTitle} dir="auto">
        {name}
      </h2>
      {inside}
    </section>
  );
  const shown = () => {
    if (numbers) return frame(<Numbers question={question} period={period} meta={meta} zone={zone} />);
    if (answer.isError) return frame(<Failure error={answer.error} retry={() => void answer.refetch()} />);
    if (!answer.data) return <Skeleton height={240} />;
    if (rows.length === 0) return frame(<p className={classes.faint}>{t`No request in this period matches all filters.`}</p>);
    const same = { question, rows, meta, period, names, title: name };
    return question.chart === "table" ? <ExplorerTable {...same} zone={zone} /> : <ExplorerChart {...same} height={240} />;
  };
  return (
    <>
      {shown()}
      <AppLink href={explorerAddress(exploration, question)} className={classes.cardLink}>
        {t`Open in the explorer`}
      </AppLink>
    </>
  );
}

function explorerAddress(e: Exploration, question: Question): string {
  const words = new URLSearchParams();
  for (const [word, value] of Object.entries({ ...searchOf(question), saved: String(e.id) })) if (value) words.set(word, value);
  return `/insights/explorer?${words}`;
}
