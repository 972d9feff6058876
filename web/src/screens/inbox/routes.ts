import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { requestsQuery } from "../../data/requests";
import { frameRoute } from "../../frame/root";
import { fromAddress, shown, toQuery } from "./filters";

export const inboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/requests",
  validateSearch: fromAddress,
  loaderDeps: ({ search }) => search,
  // Not awaited: an open request is asked for at the same time.
  loader: ({ context, deps }) => void context.client.prefetchInfiniteQuery(requestsQuery(toQuery(shown(deps)))),
  component: lazyRouteComponent(() => import("./Inbox"), "Inbox"),
});

export const requestRoute = createRoute({
  getParentRoute: () => inboxRoute,
  path: "$id",
  component: lazyRouteComponent(() => import("./Request"), "Request"),
});
