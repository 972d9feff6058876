import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root";
import { withTexts } from "../../texts";

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (s: Record<string, unknown>): { next?: string; problem?: string } => ({
    ...(typeof s.next === "string" && { next: s.next }),
    ...(typeof s.problem === "string" && { problem: s.problem }),
  }),
  component: lazyRouteComponent(() => withTexts("places", import("./SignIn")), "SignIn"),
});

export const accountsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/accounts",
  validateSearch: (s: Record<string, unknown>): { next?: string } => ({ ...(typeof s.next === "string" && { next: s.next }) }),
  component: lazyRouteComponent(() => withTexts("places", import("./Accounts")), "Accounts"),
});

export const firstRunRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/first-run",
  component: lazyRouteComponent(() => withTexts("places", import("./FirstRun")), "FirstRun"),
});

export const welcomeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/welcome",
  component: lazyRouteComponent(() => withTexts("places", import("./Welcome")), "Welcome"),
});
