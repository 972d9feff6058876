import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "../../frame/root";
import { withTexts } from "../../texts";

/** The list of pages at the side; what it holds is in pages.ts. */
const layoutRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/settings",
  component: lazyRouteComponent(() => withTexts("settings", import("./Settings")), "Settings"),
});

const firstRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "/",
  component: lazyRouteComponent(() => withTexts("settings", import("./Page")), "FirstPage"),
});

/** A page of pages.ts. What a page keeps in the address bar, it reads there itself, in plain words. */
export const settingsPageRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "$page",
  validateSearch: (s: Record<string, unknown>): Record<string, string | undefined> => Object.fromEntries(Object.entries(s).map(([name, value]) => [name, String(value)])),
  component: lazyRouteComponent(() => withTexts("settings", import("./Page")), "Page"),
});

export const webhookRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "webhooks/$id",
  validateSearch: (s: Record<string, unknown>): { status?: string; delivery?: string } => ({
    ...(typeof s.status === "string" && { status: s.status }),
    ...(typeof s.delivery === "string" && { delivery: s.delivery }),
  }),
  component: lazyRouteComponent(() => withTexts("settings", import("./Webhook")), "Webhook"),
});

export const collectionRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "collections/$id",
  component: lazyRouteComponent(() => withTexts("settings", import("./collections/Collection")), "Collection"),
});

export const fieldRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "fields/$id",
  component: lazyRouteComponent(() => withTexts("settings", import("./fields/Field")), "Field"),
});

/** A ticket form; "new" is one that is not made yet. */
export const formRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "forms/$id",
  component: lazyRouteComponent(() => withTexts("settings", import("./forms/Form")), "Form"),
});

export const scheduleRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "schedules/$id",
  component: lazyRouteComponent(() => withTexts("settings", import("./schedules/Schedule")), "Schedule"),
});

export const settingsRoute = layoutRoute.addChildren([firstRoute, settingsPageRoute, webhookRoute, collectionRoute, fieldRoute, formRoute, scheduleRoute]);
