// The pages of the settings, in the order of the list at the side. A new page is a
// line here and a component; one with an address below its own (such as a record
// that is opened) has a route in routes.ts besides.
import {
  IconAddressBook,
  IconBell,
  IconBolt,
  IconBuilding,
  IconCalendarTime,
  IconClockCheck,
  IconDeviceLaptop,
  IconForms,
  IconHistory,
  IconInbox,
  IconKey,
  IconMessageCircleBolt,
  IconMessages,
  IconPlugConnected,
  IconTicket,
  IconAdjustmentsHorizontal,
  IconUserCircle,
  type TablerIcon,
} from "@tabler/icons-react";
import { type ComponentType, type LazyExoticComponent, lazy } from "react";

export type PageGroup = "You" | "Account" | "Conversations" | "Connections" | "Developer";

export type SettingsPage = {
  /** What stands behind /settings/ in the address. */
  path: string;
  label: string;
  icon: TablerIcon;
  group: PageGroup;
  component: LazyExoticComponent<ComponentType>;
  /** The API lets only admins read what it shows. */
  adminOnly?: boolean;
};

/** A page's code is fetched when the page is opened. */
function load(component: () => Promise<ComponentType>) {
  return lazy(async () => ({ default: await component() }));
}

export const groups: PageGroup[] = ["You", "Account", "Conversations", "Connections", "Developer"];

export const pages: SettingsPage[] = [
  { path: "profile", label: "Name and password", icon: IconUserCircle, group: "You", component: load(() => import("./Profile").then((m) => m.Profile)) },
  { path: "sessions", label: "Sessions", icon: IconDeviceLaptop, group: "You", component: load(() => import("./Sessions").then((m) => m.Sessions)) },
  { path: "preferences", label: "Preferences", icon: IconAdjustmentsHorizontal, group: "You", component: load(() => import("./Preferences").then((m) => m.Preferences)) },
  { path: "notifications", label: "Notifications", icon: IconBell, group: "You", component: load(() => import("./Notifications").then((m) => m.Notifications)) },

  { path: "account", label: "Account", icon: IconBuilding, group: "Account", adminOnly: true, component: load(() => import("./AccountSettings").then((m) => m.AccountSettings)) },
  { path: "people", label: "People and roles", icon: IconAddressBook, group: "Account", adminOnly: true, component: load(() => import("./People").then((m) => m.People)) },
  { path: "audit-log", label: "Audit log", icon: IconHistory, group: "Account", adminOnly: true, component: load(() => import("./AuditLog").then((m) => m.AuditLog)) },

  { path: "collections", label: "Collections", icon: IconInbox, group: "Conversations", component: load(() => import("./collections/Collections").then((m) => m.Collections)) },
  { path: "fields", label: "Custom fields", icon: IconForms, group: "Conversations", component: load(() => import("./fields/Fields").then((m) => m.Fields)) },
  { path: "forms", label: "Ticket forms", icon: IconTicket, group: "Conversations", component: load(() => import("./forms/Forms").then((m) => m.Forms)) },
  { path: "schedules", label: "Schedules", icon: IconCalendarTime, group: "Conversations", component: load(() => import("./schedules/Schedules").then((m) => m.Schedules)) },
  { path: "sla", label: "SLA policies", icon: IconClockCheck, group: "Conversations", component: load(() => import("./sla/Policies").then((m) => m.Policies)) },
  { path: "quick-replies", label: "Quick replies", icon: IconMessageCircleBolt, group: "Conversations", component: load(() => import("./QuickReplies").then((m) => m.QuickReplies)) },

  { path: "chat", label: "Chat", icon: IconMessages, group: "Connections", adminOnly: true, component: load(() => import("./Chat").then((m) => m.Chat)) },
  { path: "integrations", label: "Ticket systems", icon: IconPlugConnected, group: "Connections", adminOnly: true, component: load(() => import("./Integrations").then((m) => m.Integrations)) },

  { path: "tokens", label: "Access tokens", icon: IconKey, group: "Developer", component: load(() => import("./Tokens").then((m) => m.Tokens)) },
  { path: "webhooks", label: "Events API subscription", icon: IconBolt, group: "Developer", adminOnly: true, component: load(() => import("./Webhooks").then((m) => m.Webhooks)) },
];
