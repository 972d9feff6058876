// The table of contents of the app.
import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { IconMapQuestion } from "@tabler/icons-react";
import { Link, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { queryClient } from "../data/client";
import { Empty, Failure, Loading } from "../parts/states";
import { announcementRoute, announcementsRoute, newAnnouncementRoute } from "../screens/announcements/routes";
import { customerRoute, customersRoute } from "../screens/customers/routes";
import { accountsRoute, firstRunRoute, signInRoute, welcomeRoute } from "../screens/door/routes";
import { inboxRoute, requestRoute } from "../screens/inbox/routes";
import { insightsRoute } from "../screens/insights/routes";
import { mailboxRoute } from "../screens/mailbox/routes";
import { sandboxRoute } from "../screens/sandbox/routes";
import { settingsRoute } from "../screens/settings/routes";
import { parseSearch, stringifySearch } from "./address";
import { frameRoute, rootRoute } from "./root";

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/requests" });
  },
});

const tree = rootRoute.addChildren([
  homeRoute,
  signInRoute,
  accountsRoute,
  firstRunRoute,
  welcomeRoute,
  frameRoute.addChildren([
    inboxRoute.addChildren([requestRoute]),
    customersRoute,
    customerRoute,
    announcementsRoute,
    newAnnouncementRoute,
    announcementRoute,
    insightsRoute,
    sandboxRoute,
    mailboxRoute,
    settingsRoute,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  context: { client: queryClient },
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0, // the queries know how old they are, and keep what is kept
  defaultGcTime: 0,
  defaultPreloadGcTime: 0,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  defaultNotFoundComponent: () => (
    <main>
      <Empty
        icon={IconMapQuestion}
        whole
        title={t`Page not found`}
        action={
          <Button component={Link} to="/requests" variant="default">
            {t`Go to inbox`}
          </Button>
        }
      >
        {t`It may have been removed, or the link is incomplete.`}
      </Empty>
    </main>
  ),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
