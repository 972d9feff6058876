import { ActionIcon, Button, Loader, Tooltip } from "@mantine/core";
import { IconSparkles } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { sentence } from "../../../api/client";
import { type Summary as SummaryData, askModel, summaryQuery, useHasModel } from "../../../data/help";
import type { Request } from "../../../data/requests";
import { Keys, useCommands } from "../../../frame/commands";
import { Html } from "../../../parts/Html";
import { ByModel, Trouble } from "./ByModel";
import classes from "./Help.module.css";

/** Asks for a summary, where there is a model and something to read. */
export function SummariseButton({ request }: { request: Request }) {
  const client = useQueryClient();
  const may = useHasModel() && (request.messages?.length ?? 0) > 0;
  const run = () => askModel(client, summaryQuery(request.id));
  useCommands(may ? [{ id: "summarise", label: "Summarise this request", keys: "w s", group: "Request", run }] : []);
  if (!may) return null;
  return (
    <Tooltip
      label={
        <>
          Summarise <Keys keys="w s" />
        </>
      }
    >
      <ActionIcon aria-label="Summarise" onClick={run}>
        <IconSparkles size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
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
    <section className={classes.panel} aria-label="Summary" aria-busy={isFetching}>
      {isFetching ? (
        <div className={classes.head} role="status">
          <Loader size={14} aria-hidden />
          Reading the conversation…
          <span className={classes.end}>
            <Button variant="default" size="compact-xs" onClick={() => void client.cancelQueries({ queryKey: query.queryKey, exact: true })}>
              Cancel
            </Button>
          </span>
        </div>
      ) : error ? (
        <Trouble what="There is no summary." why={sentence(error)} again={again} close={close} />
      ) : (
        <>
          <ByModel what="Summary" at={data!.created_at} close={close}>
            {since !== null && (
              <>
                {since}
                <Button variant="default" size="compact-xs" onClick={again}>
                  Summarise again
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
  return [...(s.includes_notes ? ["Internal notes were read, too: it is for your team alone."] : []), ...unread(s)];
}

/** What was written since, for people; null for nothing. */
export function newer(request: Request, than: { created_at: string }): string | null {
  const count = (request.messages ?? []).filter((m) => m.created_at > than.created_at).length;
  return count === 0 ? null : count === 1 ? "1 message is newer." : `${count} messages are newer.`;
}

/** What was not read of a conversation, for people. */
export function unread({ messages_left_out: left, messages_shortened: short }: Pick<SummaryData, "messages_left_out" | "messages_shortened">): string[] {
  return [
    ...(left > 0 ? [`${left === 1 ? "1 message was" : `${left} messages were`} too many and not read: those after the first one.`] : []),
    ...(short > 0 ? [`Of ${short === 1 ? "1 long message" : `${short} long messages`} only the beginning was read.`] : []),
  ];
}
