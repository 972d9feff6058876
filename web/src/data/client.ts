import { MutationCache, type Query, QueryClient } from "@tanstack/react-query";
import { Problem } from "../api/client";

/** What is known of the server's data. Live events say what has changed, so little is asked for again. */
export const queryClient = new QueryClient({
  mutationCache: new MutationCache(),
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      gcTime: 30 * 60_000,
      refetchOnWindowFocus: false, // the stream tells
      retry: (failures, error) => failures < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429),
    },
    mutations: { retry: false },
  },
});

/** How many answers are kept that nothing on the page uses: those of the last thirty requests or so. */
const most = 200;

/** What nothing on the page uses, the longest unused first. */
const unused = new Set<Query>();

// Without a bound, who works through a thousand requests in half an hour would have them all in memory.
const cache = queryClient.getQueryCache();
cache.subscribe(({ type, query }) => {
  if (type !== "added" && type !== "removed" && type !== "observerAdded" && type !== "observerRemoved") return;
  unused.delete(query);
  if (type === "removed" || query.getObserversCount() > 0) return;
  unused.add(query);
  const [oldest] = unused;
  if (unused.size > most && oldest) cache.remove(oldest);
});
