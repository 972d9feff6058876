import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "../../frame/root";

export const insightsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/insights",
  component: lazyRouteComponent(() => import("./Insights"), "Insights"),
});
