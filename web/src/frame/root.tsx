// The routes that every screen hangs on: all of the app, and what is inside its frame.
import { type QueryClient } from "@tanstack/react-query";
import { Outlet, createRootRouteWithContext, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { meQuery } from "../data/me";
import { notificationCountQuery } from "../data/notifications";
import { preferencesQuery } from "../data/preferences";
import { Failure } from "../parts/states";
import { followLanguage } from "../texts";

export const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  errorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
});

/** What somebody who is signed in sees: the rail at the side, and a screen. */
export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "frame",
  component: lazyRouteComponent(() => import("./Frame"), "Frame"),
  // Not awaited: what a screen needs is asked for at the same time.
  loader: ({ context }) => {
    void context.client.prefetchQuery(meQuery);
    void context.client.prefetchQuery(preferencesQuery).then(followLanguage);
    void context.client.prefetchQuery(notificationCountQuery);
  },
});
