import { t } from "@lingui/core/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconTerminal2 } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { type Meta, type Query, insightsFile, insightsMetaQuery, insightsQuery } from "../../data/insights";
import { useMe } from "../../data/me";
import { useCommands } from "../../frame/commands";
import { CopyLine } from "../../parts/Copy";
import { Dialog } from "../../parts/Dialog";
import { Empty, Failure, Loading } from "../../parts/states";
import { tellProblem } from "../../tell";
import { ExplorerChart } from "./ExplorerChart";
import { ExplorerTable } from "./ExplorerTable";
import classes from "./Insights.module.css";
import { Numbers } from "./Numbers";
import { Pick } from "./Pick";
import { SavedMenu } from "./SavedMenu";
import { useNames } from "./names";
import { periodOf } from "./period";
import { type Question, curlLine, queryOf, questionOf, searchOf } from "./question";

const route = getRouteApi("/frame/insights/explorer");

/** Any measure, by anything, of any part of time. */
export function Explorer() {
  const search = route.useSearch();
  const question = questionOf(search);
  const navigate = useNavigate();
  const zone = useMe()?.account.time_zone;
  const meta = useQuery(insightsMetaQuery);
  if (meta.isError) return <Failure error={meta.error} retry={() => void meta.refetch()} />;
  if (!zone || !meta.data) return <Loading />;
  const change = (part: Partial<Question>) => void navigate({ to: "/insights/explorer", search: { ...searchOf({ ...question, ...part }), saved: search.saved }, replace: true });
  return (
    <div className={classes.explorer}>
      <div>
        <SavedMenu question={question} meta={meta.data} saved={search.saved} />
        <Pick question={question} meta={meta.data} period={periodOf(question.range, zone)} change={change} />
      </div>
      {question.measures.length === 0 ? (
        <Empty title={t`Choose a measure`}>{t`Choose one or more measures and how to group them.`}</Empty>
      ) : (
        <Answer question={question} meta={meta.data} zone={zone} />
      )}
    </div>
  );
}

function Answer({ question, meta, zone }: { question: Question; meta: Meta; zone: string }) {
  const period = periodOf(question.range, zone);
  const query = queryOf(question, period);
  const answer = useQuery({ ...insightsQuery(query), placeholderData: keepPreviousData });
  // Until the new rows are there, the old ones are shown as they were asked for.
  const shown = useRef({ question, period, rows: answer.data ?? [] });
  if (answer.data && !answer.isPlaceholderData) shown.current = { question, period, rows: answer.data };
  const { rows, ...asked } = shown.current;
  const names = useNames(asked.question.by, rows, meta);
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  if (!answer.data) return <Loading />;
  return (
    <div className={classes.answer} aria-busy={answer.isFetching}>
      <Actions query={query} />
      {rows.length === 0 ? (
        <Empty title={t`No requests`}>{t`No request in this period matches all filters. Choose a longer period or remove filters.`}</Empty>
      ) : (
        <div className={classes.sides} data-one={asked.question.chart === "table" || undefined}>
          {asked.question.chart === "number" ? <Numbers {...asked} meta={meta} zone={zone} /> : asked.question.chart !== "table" && <ExplorerChart {...asked} rows={rows} meta={meta} names={names} />}
          <ExplorerTable {...asked} rows={rows} meta={meta} zone={zone} names={names} />
        </div>
      )}
    </div>
  );
}

/** To take the answer along. */
function Actions({ query }: { query: Query }) {
  const [opened, setOpened] = useState(false);
  const file = useMutation({ mutationFn: () => insightsFile(query), onSuccess: (text) => save(text, "insights.csv"), onError: (e) => tellProblem(e) });
  useCommands([
    { id: "insights.csv", label: t`Export as CSV`, group: t`Insights`, run: () => file.mutate() },
    { id: "insights.curl", label: t`Copy as API call`, group: t`Insights`, run: () => setOpened(true) },
  ]);
  return (
    <Group gap="xs" justify="flex-end">
      <Button variant="default" leftSection={<IconDownload size={14} aria-hidden />} loading={file.isPending} onClick={() => file.mutate()}>
        {t`Export CSV`}
      </Button>
      <Button variant="default" leftSection={<IconTerminal2 size={14} aria-hidden />} onClick={() => setOpened(true)}>
        {t`Copy as API call`}
      </Button>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={t`Copy as API call`} size="lg">
        <Stack>
          <Text>{t`Set T to an access token. With “Accept: text/csv” you get a CSV file.`}</Text>
          <CopyLine label={t`Command`} text={curlLine(query, location.origin)} />
        </Stack>
      </Dialog>
    </Group>
  );
}

function save(text: string, name: string) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const a = document.createElement("a");
  a.href = address;
  a.download = name;
  a.click();
  URL.revokeObjectURL(address);
}
