// The pages of the settings, in the order of the list at the side. A new page is a
// line here and a component; one with an address below its own (such as a record
// that is opened) has a route in routes.ts besides.
import { t } from "@lingui/core/macro";
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

export type PageGroup = "you" | "account" | "conversations" | "connections" | "developer";

export type SettingsPage = {
  /** What stands behind /settings/ in the address. */
  path: string;
  label: () => string;
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

export const groups = (): { group: PageGroup; label: string }[] => [
  { group: "you", label: t({ message: "You", context: "group of settings" }) },
  { group: "account", label: t`Account` },
  { group: "conversations", label: t`Conversations` },
  { group: "connections", label: t`Connections` },
  { group: "developer", label: t({ message: "Developer", context: "group of settings" }) },
];

export const pages: SettingsPage[] = [
  { path: "profile", label: () => t`Name and password`, icon: IconUserCircle, group: "you", component: load(() => import("./Profile").then((m) => m.Profile)) },
  { path: "sessions", label: () => t`Sessions`, icon: IconDeviceLaptop, group: "you", component: load(() => import("./Sessions").then((m) => m.Sessions)) },
  { path: "preferences", label: () => t`Preferences`, icon: IconAdjustmentsHorizontal, group: "you", component: load(() => import("./Preferences").then((m) => m.Preferences)) },
  { path: "notifications", label: () => t`Notifications`, icon: IconBell, group: "you", component: load(() => import("./Notifications").then((m) => m.Notifications)) },

  { path: "account", label: () => t`Account`, icon: IconBuilding, group: "account", adminOnly: true, component: load(() => import("./AccountSettings").then((m) => m.AccountSettings)) },
  { path: "people", label: () => t`People and roles`, icon: IconAddressBook, group: "account", adminOnly: true, component: load(() => import("./People").then((m) => m.People)) },
  { path: "audit-log", label: () => t`Audit log`, icon: IconHistory, group: "account", adminOnly: true, component: load(() => import("./AuditLog").then((m) => m.AuditLog)) },

  { path: "collections", label: () => t`Collections`, icon: IconInbox, group: "conversations", component: load(() => import("./collections/Collections").then((m) => m.Collections)) },
  { path: "fields", label: () => t`Custom fields`, icon: IconForms, group: "conversations", component: load(() => import("./fields/Fields").then((m) => m.Fields)) },
  { path: "forms", label: () => t`Ticket forms`, icon: IconTicket, group: "conversations", component: load(() => import("./forms/Forms").then((m) => m.Forms)) },
  { path: "schedules", label: () => t`Schedules`, icon: IconCalendarTime, group: "conversations", component: load(() => import("./schedules/Schedules").then((m) => m.Schedules)) },
  { path: "sla", label: () => t`SLA policies`, icon: IconClockCheck, group: "conversations", component: load(() => import("./sla/Policies").then((m) => m.Policies)) },
  { path: "quick-replies", label: () => t`Quick replies`, icon: IconMessageCircleBolt, group: "conversations", component: load(() => import("./QuickReplies").then((m) => m.QuickReplies)) },

  { path: "chat", label: () => t`Chat`, icon: IconMessages, group: "connections", adminOnly: true, component: load(() => import("./Chat").then((m) => m.Chat)) },
  { path: "integrations", label: () => t`Ticket systems`, icon: IconPlugConnected, group: "connections", adminOnly: true, component: load(() => import("./Integrations").then((m) => m.Integrations)) },

  { path: "tokens", label: () => t`Access tokens`, icon: IconKey, group: "developer", component: load(() => import("./Tokens").then((m) => m.Tokens)) },
  { path: "webhooks", label: () => t`Events API subscription`, icon: IconBolt, group: "developer", adminOnly: true, component: load(() => import("./Webhooks").then((m) => m.Webhooks)) },
];
