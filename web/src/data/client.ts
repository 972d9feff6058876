import { MutationCache, QueryClient } from "@tanstack/react-query";
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
