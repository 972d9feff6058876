import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { type AnnouncementStatus, announcementQuery, announcementsQuery } from "../../data/announcements";
import { channelsQuery } from "../../data/channels";
import { collectionsQuery } from "../../data/collections";
import { frameRoute } from "../../frame/root";
import { withTexts } from "../../texts";

const statuses: readonly string[] = ["pending", "scheduled", "sent"] satisfies AnnouncementStatus[];

export const announcementsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/announcements",
  validateSearch: (s: Record<string, unknown>): { status?: AnnouncementStatus } => (statuses.includes(String(s.status)) ? { status: s.status as AnnouncementStatus } : {}),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.client.prefetchInfiniteQuery(announcementsQuery(deps.status)),
  component: lazyRouteComponent(() => withTexts("reports", import("./Announcements")), "Announcements"),
});

/** Where one is made. The message may be named by its link, as other screens do. */
export const newAnnouncementRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/announcements/new",
  validateSearch: (s: Record<string, unknown>): { link?: string; channel?: string } => ({
    ...(typeof s.link === "string" && { link: s.link }),
    ...(typeof s.channel === "string" && { channel: s.channel }),
  }),
  loader: ({ context }) => {
    void context.client.prefetchQuery(channelsQuery);
    void context.client.prefetchQuery(collectionsQuery);
  },
  component: lazyRouteComponent(() => withTexts("reports", import("./NewAnnouncement")), "NewAnnouncement"),
});

export const announcementRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/announcements/$id",
  loader: ({ context, params }) => {
    void context.client.prefetchQuery(announcementQuery(Number(params.id)));
    void context.client.prefetchQuery(channelsQuery);
  },
  component: lazyRouteComponent(() => withTexts("reports", import("./Announcement")), "Announcement"),
});
