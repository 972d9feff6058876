import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "../../frame/root";

export const sandboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/sandbox",
  component: lazyRouteComponent(() => import("./Sandbox"), "Sandbox"),
});
