import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "../../frame/root";

export const settingsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./Settings"), "Settings"),
});
