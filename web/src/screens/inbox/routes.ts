import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "../../frame/root";

export const inboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/requests",
  component: lazyRouteComponent(() => import("./Inbox"), "Inbox"),
});

export const requestRoute = createRoute({
  getParentRoute: () => inboxRoute,
  path: "$id",
  component: lazyRouteComponent(() => import("./Request"), "Request"),
});
