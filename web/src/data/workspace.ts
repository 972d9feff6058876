// The sandbox workspace as the acting person sees it, kept up to date by its stream.
import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { sandboxTokenQuery } from "./sandbox";
import { Slack, type SlackChange, type SlackChannel, type SlackMessage, type SlackUser, type SlackView } from "./slack";

/** The workspace as this person; null until there is a token. */
export function useSlack(userId: string): { slack: Slack | null; error: unknown } {
  const token = useQuery(sandboxTokenQuery(userId));
  const slack = useMemo(() => (token.data ? new Slack(userId, token.data) : null), [userId, token.data]);
  return { slack, error: token.error };
}

export const channelsQuery = (slack: Slack) =>
  queryOptions({
    queryKey: ["slack", slack.me, "channels"],
    queryFn: async () => (await slack.call<{ channels: SlackChannel[] }>("conversations.list", { types: "public_channel,private_channel,im,mpim", exclude_archived: "true", limit: "1000" })).channels,
  });

/** Everybody, bots too: messages name people by their ids. */
export const workspaceUsersQuery = (slack: Slack) =>
  queryOptions({
    queryKey: ["slack", slack.me, "users"],
    queryFn: async () => new Map((await slack.call<{ members: SlackUser[] }>("users.list")).members.map((u) => [u.id, u])),
  });

export type History = { messages: SlackMessage[]; more: boolean };

/** The messages of a channel, oldest first, including those only this person can see. */
export const historyQuery = (slack: Slack, channel: string, limit: number) =>
  queryOptions({
    queryKey: ["slack", slack.me, "history", channel, limit],
    queryFn: async (): Promise<History> => {
      const [history, own] = await Promise.all([slack.call<{ messages: SlackMessage[]; has_more: boolean }>("conversations.history", { channel, limit: String(limit) }), ephemerals(slack, channel)]);
      return {
        messages: merge(
          history.messages,
          own.filter((m) => !m.thread_ts),
        ),
        more: history.has_more,
      };
    },
  });

export const threadQuery = (slack: Slack, channel: string, ts: string) =>
  queryOptions({
    queryKey: ["slack", slack.me, "thread", channel, ts],
    queryFn: async (): Promise<SlackMessage[]> => {
      const [thread, own] = await Promise.all([slack.call<{ messages: SlackMessage[] }>("conversations.replies", { channel, ts, limit: "1000" }), ephemerals(slack, channel)]);
      return merge(
        thread.messages,
        own.filter((m) => m.thread_ts === ts),
      );
    },
  });

async function ephemerals(slack: Slack, channel: string): Promise<SlackMessage[]> {
  const { messages } = await slack.act<{ messages: SlackMessage[] | null }>("ephemerals", { channel });
  return (messages ?? []).map((m) => ({ ...m, ephemeral: true }));
}

function merge(...lists: SlackMessage[][]): SlackMessage[] {
  return lists.flat().sort((a, b) => Number(a.ts) - Number(b.ts) || a.ts.localeCompare(b.ts));
}

/** The forms that are open before this person, the topmost last. */
export const viewsQuery = (slack: Slack) => queryOptions({ queryKey: ["slack", slack.me, "views"], queryFn: async () => (await slack.act<{ views: SlackView[] }>("views")).views });

/** What a change of the workspace makes old. */
function lookAgain(client: QueryClient, me: string, change: SlackChange) {
  const again = (...key: string[]) => void client.invalidateQueries({ queryKey: ["slack", me, ...key] });
  switch (change.type) {
    case "hello":
      return again();
    case "message":
    case "ephemeral":
      again("history", ...(change.channel ? [change.channel] : []));
      return again("thread", ...(change.channel ? [change.channel] : []));
    case "channel":
      return again("channels");
    case "user":
      return again("users");
    case "view":
      return again("views");
  }
}

const firstWait = 1000;
const longestWait = 30_000;

/** Follows the workspace as long as it is shown. */
export function useWorkspaceStream(slack: Slack) {
  const client = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    let again: number | undefined;
    let wait = firstWait;
    const open = () => {
      const heard = (change: SlackChange) => {
        wait = firstWait;
        lookAgain(client, slack.me, change);
      };
      // However it ends, it is opened again, and `hello` has everything read anew.
      void slack
        .listen(heard, stop.signal)
        .catch(() => {})
        .then(() => {
          if (stop.signal.aborted) return;
          again = window.setTimeout(open, wait);
          wait = Math.min(wait * 2, longestWait);
        });
    };
    open();
    return () => {
      stop.abort();
      window.clearTimeout(again);
    };
  }, [client, slack]);
}
