import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { customersQuery } from "../../data/customers";
import { requestFieldsQuery } from "../../data/fields";
import { waitingQuery } from "../../data/messages";
import { teamsQuery } from "../../data/people";
import { quickRepliesQuery } from "../../data/quick-replies";
import { requestQuery } from "../../data/requests";
import { slaQuery } from "../../data/sla";
import { frameRoute } from "../../frame/root";

export const inboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/requests",
  component: lazyRouteComponent(() => import("./Inbox"), "Inbox"),
});

export const requestRoute = createRoute({
  getParentRoute: () => inboxRoute,
  path: "$id",
  // All at once; the history is read when somebody opens it.
  loader: ({ context: { client }, params }) => {
    const id = Number(params.id);
    if (!Number.isSafeInteger(id) || id <= 0) return;
    void client.prefetchQuery(requestQuery(id));
    void client.prefetchQuery(slaQuery(id));
    void client.prefetchQuery(waitingQuery(id));
    void client.prefetchQuery(teamsQuery);
    void client.prefetchQuery(requestFieldsQuery);
    void client.prefetchQuery(customersQuery);
    void client.prefetchQuery(quickRepliesQuery);
  },
  component: lazyRouteComponent(() => import("./Request"), "Request"),
});
