import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "../../frame/root";

export const announcementsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/announcements",
  component: lazyRouteComponent(() => import("./Announcements"), "Announcements"),
});
