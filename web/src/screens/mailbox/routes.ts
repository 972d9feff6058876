import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { mailboxesQuery } from "../../data/mailbox";
import { frameRoute } from "../../frame/root";
import { withTexts } from "../../texts";
import type { Place } from "./place";

export const mailboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/mailbox",
  validateSearch: (s: Record<string, unknown>): Place => ({
    ...(typeof s.as === "string" && { as: s.as }),
    ...(s.box === "sent" && { box: s.box }),
    ...(typeof s.thread === "string" && { thread: s.thread }),
    ...((s.write === "new" || s.write === "reply" || s.write === "all" || s.write === "forward") && { write: s.write }),
    ...(typeof s.mail === "string" && { mail: s.mail }),
  }),
  loader: ({ context }) => void context.client.prefetchQuery(mailboxesQuery),
  component: lazyRouteComponent(() => withTexts("places", import("./Mailbox")), "Mailbox"),
});
