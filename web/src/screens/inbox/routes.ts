import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { refreshRequests, requestsQuery } from "../../data/requests";
import { viewsQuery } from "../../data/views";
import { frameRoute } from "../../frame/root";
import { fromAddress, shown, toQuery } from "./filters";

export const inboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/requests",
  validateSearch: fromAddress,
  loaderDeps: ({ search }) => search,
  // Not awaited: an open request is asked for at the same time.
  loader: ({ context: { client }, deps, cause }) => {
    const filters = toQuery(shown(deps));
    void client.prefetchQuery(viewsQuery);
    const known = client.getQueryState(requestsQuery(filters).queryKey);
    // What was seen before is shown at once, and read again: nobody followed it meanwhile.
    if (known?.data === undefined) void client.prefetchInfiniteQuery(requestsQuery(filters));
    else if (cause === "enter") void refreshRequests(client, filters).catch(() => {});
  },
  component: lazyRouteComponent(() => import("./Inbox"), "Inbox"),
});

export const requestRoute = createRoute({
  getParentRoute: () => inboxRoute,
  path: "$id",
  component: lazyRouteComponent(() => import("./Request"), "Request"),
});
