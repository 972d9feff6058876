import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { collectionsQuery } from "../../data/collections";
import { sandboxQuery } from "../../data/sandbox";
import { frameRoute } from "../../frame/root";
import { withTexts } from "../../texts";
import type { Place } from "./place";

export const sandboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/sandbox",
  validateSearch: (s: Record<string, unknown>): Place => ({
    ...(typeof s.as === "string" && { as: s.as }),
    ...(typeof s.channel === "string" && { channel: s.channel }),
    ...(typeof s.thread === "string" && { thread: s.thread }),
  }),
  loader: ({ context }) => {
    void context.client.prefetchQuery(sandboxQuery);
    void context.client.prefetchQuery(collectionsQuery);
  },
  component: lazyRouteComponent(() => withTexts("places", import("./Sandbox")), "Sandbox"),
});
