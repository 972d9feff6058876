// The views that everybody has, and those that people have kept.
import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { collectionsQuery } from "../../data/collections";
import { type View, viewsQuery } from "../../data/views";
import { type Filters, fromViewQuery, same, unsolved } from "./filters";

export type Shown = { key: string; name: string; filters: Filters; kept: View | null };

/** How a count is written: nothing for none, and a plus where there may be more. */
export function countText(count: { count: number; is_more: boolean } | undefined): string {
  if (!count || (count.count === 0 && !count.is_more)) return "";
  return `${count.count}${count.is_more ? "+" : ""}`;
}

const builtIn = (): Shown[] => [
  { key: "open", name: t`All open`, filters: { state: unsolved }, kept: null },
  { key: "mine", name: t`Mine`, filters: { state: unsolved, assignee_id: "me" }, kept: null },
  { key: "unassigned", name: t`Unassigned`, filters: { state: unsolved, assignee_id: "none" }, kept: null },
  { key: "unread", name: t`Unread`, filters: { unread: "true" }, kept: null },
  { key: "following", name: t`Following`, filters: { following: "true" }, kept: null },
  { key: "snoozed", name: t`Snoozed`, filters: { snoozed: "true" }, kept: null },
  { key: "solved", name: t({ message: "Solved", context: "view" }), filters: { state: "solved,closed" }, kept: null },
  { key: "everything", name: t`All requests`, filters: {}, kept: null },
  { key: "none", name: t`Not requests`, filters: { state: "none" }, kept: null },
];

/** All views, once they are `known`, and the one that shows what these filters do, whatever is searched for in it. */
export function useViews(filters: Filters): { builtIn: Shown[]; kept: Shown[]; current: Shown | null; known: boolean } {
  const views = useQuery(viewsQuery);
  const collections = useQuery(collectionsQuery);
  const kept = (views.data ?? []).map((v) => ({ key: String(v.id), name: v.name, filters: fromViewQuery(v.query), kept: v }));
  const mail = (collections.data ?? []).filter((c) => c.email_config);
  // Mail of which nothing shows who wrote it waits here, and is in no other view.
  const toCheck = mail.map(({ id, name: collection }): Shown => ({
    key: `check ${id}`,
    name: mail.length === 1 ? t`Mail to check` : t`Mail to check: ${collection}`,
    filters: { state: "none", collection_id: String(id) },
    kept: null,
  }));
  const always = [...builtIn(), ...toCheck];
  const { query: _, ...rest } = filters;
  return { builtIn: always, kept, current: [...kept, ...always].find((v) => same(v.filters, rest)) ?? null, known: !views.isPending && !collections.isPending };
}
