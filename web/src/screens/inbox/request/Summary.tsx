import { plural, t } from "@lingui/core/macro";
import { ActionIcon, Button, Loader } from "@mantine/core";
import { IconSparkles } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { sentence } from "../../../api/client";
import { type Summary as SummaryData, askModel, summaryQuery, useHasModel } from "../../../data/help";
import type { Request } from "../../../data/requests";
import { Keys, useCommands } from "../../../frame/commands";
import { Html } from "../../../parts/Html";
import { Tip } from "../../../parts/Tip";
import { ByModel, Trouble } from "./ByModel";
import classes from "./Help.module.css";

/** Asks for a summary, where there is a model and something to read. */
export function SummariseButton({ request }: { request: Request }) {
  const client = useQueryClient();
  const may = useHasModel() && (request.messages?.length ?? 0) > 0;
  const run = () => askModel(client, summaryQuery(request.id));
  useCommands(may ? [{ id: "summarise", label: t`Summarise this request`, keys: "w s", group: t`Request`, run }] : []);
  if (!may) return null;
  return (
    <Tip
      label={
        <>
          {t`Summarise`} <Keys keys="w s" />
        </>
      }
    >
      <ActionIcon aria-label={t`Summarise`} onClick={run}>
        <IconSparkles size={18} aria-hidden />
      </ActionIcon>
    </Tip>
  );
}

/** What a model says that was said, above the conversation. Nothing before somebody asks. */
export function Summary({ request }: { request: Request }) {
  const client = useQueryClient();
  const query = summaryQuery(request.id);
  const { data, error, isFetching } = useQuery(query);
  if (!isFetching && !data && !error) return null;
  const close = () => void client.resetQueries({ queryKey: query.queryKey, exact: true });
  const again = () => askModel(client, query);
  const since = data ? newer(request, data) : null;
  return (
    <section className={classes.panel} aria-label={t`Summary`} aria-busy={isFetching}>
      {isFetching ? (
        <div className={classes.head} role="status">
          <Loader size={14} aria-hidden />
          {t`Reading the conversation…`}
          <span className={classes.end}>
            <Button variant="default" size="compact-xs" onClick={() => void client.cancelQueries({ queryKey: query.queryKey, exact: true })}>
              {t`Cancel`}
            </Button>
          </span>
        </div>
      ) : error ? (
        <Trouble what={t`There is no summary.`} why={sentence(error)} again={again} close={close} />
      ) : (
        <>
          <ByModel what={t`Summary`} at={data!.created_at} closeLabel={t`Close the summary`} close={close}>
            {since !== null && (
              <>
                {since}
                <Button variant="default" size="compact-xs" onClick={again}>
                  {t`Summarise again`}
                </Button>
              </>
            )}
          </ByModel>
          <Html html={data!.html} />
          {details(data!).map((d) => (
            <div key={d} className={classes.head}>
              {d}
            </div>
          ))}
        </>
      )}
    </section>
  );
}

function details(s: SummaryData): string[] {
  return [...(s.includes_notes ? [t`The model read internal notes, too. Keep this within your team.`] : []), ...unread(s)];
}

/** What was written since, for people; null for nothing. */
export function newer(request: Request, than: { created_at: string }): string | null {
  const count = (request.messages ?? []).filter((m) => m.created_at > than.created_at).length;
  return count === 0 ? null : t`${plural(count, { one: "# message is newer.", other: "# messages are newer." })}`;
}

/** What was not read of a conversation, for people. */
export function unread({ messages_left_out: left, messages_shortened: short }: Pick<SummaryData, "messages_left_out" | "messages_shortened">): string[] {
  return [
    ...(left > 0
      ? [t`${plural(left, { one: "The conversation is long, so # message after the first one was not read.", other: "The conversation is long, so # messages after the first one were not read." })}`]
      : []),
    ...(short > 0 ? [t`${plural(short, { one: "Only the beginning of # long message was read.", other: "Only the beginning of # long messages was read." })}`] : []),
  ];
}
