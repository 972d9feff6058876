import { createRoute, lazyRouteComponent, notFound, redirect } from "@tanstack/react-router";
import { dashboardsQuery, explorationsQuery } from "../../data/explorations";
import { insightsMetaQuery } from "../../data/insights";
import { meQuery } from "../../data/me";
import { frameRoute } from "../../frame/root";
import { withTexts } from "../../texts";
import { boardSearch } from "./board";
import { dashboardSearch, dashboards, prefetchDashboard } from "./dashboards";
import { explorerSearch } from "./question";

const screenRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/insights",
  loader: ({ context }) => void context.client.prefetchQuery(insightsMetaQuery),
  component: lazyRouteComponent(() => withTexts("reports", import("./Insights")), "Insights"),
});

const firstRoute = createRoute({
  getParentRoute: () => screenRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/insights/$dashboard", params: { dashboard: "volume" }, replace: true });
  },
});

export const explorerRoute = createRoute({
  getParentRoute: () => screenRoute,
  path: "explorer",
  validateSearch: explorerSearch,
  component: lazyRouteComponent(() => withTexts("reports", import("./Explorer")), "Explorer"),
});

export const dashboardRoute = createRoute({
  getParentRoute: () => screenRoute,
  path: "$dashboard",
  validateSearch: dashboardSearch,
  loaderDeps: ({ search }) => search,
  // Days are those of the account's time zone, so the numbers wait for it; the code of the screen comes meanwhile.
  loader: ({ context, params, deps }) => {
    const plan = dashboards.find((d) => d.name === params.dashboard);
    if (!plan) throw notFound();
    void context.client.ensureQueryData(meQuery).then(
      (me) => void (me.user && prefetchDashboard(context.client, plan, deps, me.account.time_zone)),
      () => {}, // the frame tells
    );
  },
  component: lazyRouteComponent(() => withTexts("reports", import("./Dashboard")), "Dashboard"),
});

export const ownDashboardRoute = createRoute({
  getParentRoute: () => screenRoute,
  path: "dashboards/$id",
  validateSearch: boardSearch,
  loader: ({ context }) => {
    void context.client.prefetchQuery(dashboardsQuery);
    void context.client.prefetchQuery(explorationsQuery);
  },
  component: lazyRouteComponent(() => withTexts("reports", import("./OwnDashboard")), "OwnDashboard"),
});

export const insightsRoute = screenRoute.addChildren([firstRoute, explorerRoute, dashboardRoute, ownDashboardRoute]);
