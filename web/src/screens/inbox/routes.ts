import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { customersQuery } from "../../data/customers";
import { customFieldsQuery } from "../../data/customFields";
import { teamsQuery } from "../../data/people";
import { quickRepliesQuery } from "../../data/quickReplies";
import { keyIn, keyedQuery, knownRequest, refreshRequests, requestQuery, requestsQuery } from "../../data/requests";
import { slaQuery } from "../../data/clocks";
import { viewsQuery } from "../../data/views";
import { frameRoute } from "../../frame/root";
import { withTexts } from "../../texts";
import { preloadEditor } from "../../parts/editor";
import { backOf, fromAddress, shown, toQuery } from "./filters";

export const inboxRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/requests",
  validateSearch: fromAddress,
  loaderDeps: ({ search }) => search,
  // Not awaited: an open request is asked for at the same time.
  loader: ({ context: { client }, deps, cause }) => {
    const filters = toQuery(shown(deps));
    void client.prefetchQuery(viewsQuery);
    for (const list of [filters, backOf(filters)]) {
      if (!list) continue;
      const known = client.getQueryState(requestsQuery(list).queryKey);
      // What was seen before is shown at once, and read again: nobody followed it meanwhile.
      if (known?.data === undefined) void client.prefetchInfiniteQuery(requestsQuery(list));
      else if (cause === "enter") void refreshRequests(client, list).catch(() => {});
    }
  },
  component: lazyRouteComponent(() => withTexts("inbox", import("./Inbox")), "Inbox"),
});

export const requestRoute = createRoute({
  getParentRoute: () => inboxRoute,
  path: "$id",
  // All at once; the history is read when somebody opens it.
  loader: ({ context: { client }, params }) => {
    preloadEditor();
    const id = knownRequest(client, params.id);
    const key = keyIn(params.id);
    if (id === null && key === null) return;
    if (id === null) void client.prefetchQuery(keyedQuery(client, key as string));
    else {
      void client.prefetchQuery(requestQuery(id));
      void client.prefetchQuery(slaQuery(id));
    }
    void client.prefetchQuery(teamsQuery);
    void client.prefetchQuery(customFieldsQuery("request"));
    void client.prefetchQuery(customersQuery);
    void client.prefetchQuery(quickRepliesQuery);
  },
  component: lazyRouteComponent(() => withTexts("inbox", import("./Request")), "Request"),
});
