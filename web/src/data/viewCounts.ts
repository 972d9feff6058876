// How many requests the views have. They are counted again when the event stream says
// that something has changed, and never by the clock.
import { type QueryClient, keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Schemas, api, ask } from "../api/client";
import { type EventType, follow, whenLeftBehind } from "./live";

export type Count = Schemas["RequestCounts"]["counts"][number];

// One call counts so many.
const most = 50;

/** The counts of lists with these queries, by query. Without `counting`, nothing is asked for. */
export function useViewCounts(queries: string[], counting: boolean): ReadonlyMap<string, Count> {
  const client = useQueryClient();
  const query = [...new Set(queries)].slice(0, most);
  const counts = useQuery({
    queryKey: ["view counts", query],
    queryFn: async ({ signal }) => {
      const { counts } = await ask(api.GET("/v1/rest/views/counts", { params: { query: { query } }, signal }));
      return new Map(query.map((q, i) => [q, counts[i] as Count]));
    },
    enabled: counting && query.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  }).data;
  useEffect(() => {
    if (!counting) return;
    const stop = follow((events) => events.some((e) => counted.has(e.type)) && recount(client));
    const forget = whenLeftBehind(() => recount(client));
    return () => {
      stop();
      forget();
    };
  }, [client, counting]);
  return counts ?? none;
}

const none: ReadonlyMap<string, Count> = new Map();
const counted = new Set<EventType>(["request.created", "request.updated", "message.created", "note.created", "sla.breached", "email.failed"]);

// A burst of events is one count, and a busy desk is counted every few seconds. As long as something has changed again
// right after a count, it is counted less and less often: to count is dear, and everybody with an open inbox does it.
const burst = 250;
const pause = 3000;
const longest = 15_000;
const rightAfter = 1000;
let timer: number | undefined;
let last = 0;
let busy = pause;

/** Counts again soon, what is shown. */
export function recount(client: QueryClient) {
  if (timer !== undefined) return;
  const now = Date.now();
  busy = now - last > rightAfter ? pause : Math.min(busy * 1.5, longest);
  timer = window.setTimeout(
    () => {
      timer = undefined;
      last = Date.now();
      if (document.visibilityState === "hidden") {
        // Nobody looks at it.
        document.addEventListener("visibilitychange", () => recount(client), { once: true });
      } else void client.invalidateQueries({ queryKey: ["view counts"] });
    },
    Math.max(burst, last + busy - now),
  );
}
