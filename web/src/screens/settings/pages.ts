// The pages of the settings, in the order of the list at the side. A new page is a
// line here and a component; one with an address below its own (such as a record
// that is opened) has a route in routes.ts besides.
import {
  IconAdjustmentsHorizontal,
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
  { path: "preferences", label: "Preferences", icon: IconAdjustmentsHorizontal, group: "You", component: load(() => import("./Preferences").then((m) => m.Preferences)) },
];
