import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type MouseEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { collectionsQuery } from "../../data/collections";
import { requestsWithDrafts } from "../../data/drafts";
import { useMe } from "../../data/me";
import { usePreferences } from "../../data/preferences";
import { type ListedRequest, type RequestFilters, requestQuery } from "../../data/requests";
import { fullTime } from "../../parts/time";
import { usePictures } from "./faces";
import { fits, timeOf } from "./fits";
import classes from "./List.module.css";
import { Row, heights } from "./Row";

/** The id of what scrolls. */
export const scrollId = "requests";

export type Place = { address: string; top: number };

type Props = {
  rows: ListedRequest[];
  filters: RequestFilters;
  /** The query of the address, so that a row is a link that can be opened elsewhere. */
  address: string;
  more: boolean;
  loadMore: () => void;
  /** The row that the keys act on, and whether the keys have brought it there. */
  cursor: { id: number | null; byKey: boolean };
  open: number | null;
  chosen: ReadonlySet<number>;
  onOpen: (id: number) => void;
  onToggle: (id: number) => void;
  onExtend: (id: number) => void;
  /** How many are new, and what brings them. */
  fresh: number;
  bring: () => void;
  /** Where it was scrolled to, kept while a request has the whole screen. */
  place: RefObject<Place>;
};

const noDrafts: ReadonlySet<number> = new Set();
// What was found takes the place of the preview.
const foundHeights = { comfortable: 78, compact: 52 };
// Loading begins so many rows before the end, so that nobody waits for it.
const ahead = 30;

export function List({ rows, filters, address, more, loadMore, cursor, open, chosen, onOpen, onToggle, onExtend, fresh, bring, place }: Props) {
  const client = useQueryClient();
  const myUser = useMe()?.user?.id ?? null;
  const { density } = usePreferences();
  const scroll = useRef<HTMLDivElement>(null);
  const height = (filters.query ? foundHeights : heights)[density];
  const pictures = usePictures(rows.map((r) => r.assignee?.id));
  // Drafts are begun and sent where a request is open. An effect, because a composer that closes keeps its draft in one.
  const [drafts, setDrafts] = useState<ReadonlySet<number>>(noDrafts);
  useEffect(() => setDrafts(new Set(requestsWithDrafts())), [open, rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: useCallback(() => height, [height]),
    // Keep the same function while the rows stay the same: a new one makes the virtualizer measure everything again.
    getItemKey: useCallback((i: number) => rows[i]?.id ?? i, [rows]),
    overscan: 8,
    initialOffset: () => (place.current.address === address ? place.current.top : 0),
    onChange: (v) => {
      place.current = { address, top: v.scrollOffset ?? 0 };
    },
    useFlushSync: false,
  });
  const collections = useQuery(collectionsQuery).data;
  const byMail = useMemo(() => new Set(collections?.filter((c) => c.kind === "email").map((c) => c.id)), [collections]);
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;

  useEffect(() => virtual.measure(), [virtual, height]);
  useEffect(() => {
    if (more && rows.length > 0 && lastShown >= rows.length - ahead) loadMore();
  }, [more, rows.length, lastShown, loadMore]);
  const at = cursor.byKey ? rows.findIndex((r) => r.id === cursor.id) : -1;
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at);
  }, [virtual, at]);

  // Back may lead to a request that is further up or down. Where its row is visible, nothing moves.
  const ids = useRef<number[]>([]);
  ids.current = rows.map((r) => r.id);
  useEffect(() => {
    const row = open === null ? -1 : ids.current.indexOf(open);
    if (row >= 0) virtual.scrollToIndex(row);
  }, [virtual, open]);

  const newOnes = fresh > 99 ? "99+" : fresh;
  const idOf = (target: EventTarget) => Number((target as Element).closest<HTMLElement>("[data-id]")?.dataset.id) || null;
  const onClick = (e: MouseEvent) => {
    const id = idOf(e.target);
    if (id === null || e.metaKey || e.ctrlKey) return;
    const box = e.target instanceof HTMLInputElement;
    if (!box) e.preventDefault();
    if (e.shiftKey) onExtend(id);
    else if (box) onToggle(id);
    else onOpen(id);
  };
  // Somebody who hovers over a row is likely to open it, so load it early.
  const hovering = useRef<number | undefined>(undefined);
  const onMouseOver = (e: MouseEvent) => {
    if (e.target instanceof HTMLTimeElement) e.target.title ||= fullTime(e.target.dateTime);
    const id = idOf(e.target);
    window.clearTimeout(hovering.current);
    if (id !== null && id !== open) hovering.current = window.setTimeout(() => void client.prefetchQuery(requestQuery(id)), 80);
  };
  useEffect(() => () => window.clearTimeout(hovering.current), []);

  return (
    <div className={classes.holder}>
      {fresh > 0 && (
        <div className={classes.pill} role="status">
          <Button size="compact-xs" radius="xl" leftSection={<IconArrowUp size={12} aria-hidden />} onClick={bring}>
            {t`${newOnes} new`}
          </Button>
        </div>
      )}
      {/* Focusable, so that the keyboard can scroll it without focusing a row. */}
      <div className={classes.scroll} ref={scroll} tabIndex={0} role="region" id={scrollId} aria-label={t`Requests`}>
        <ul className={classes.list} style={{ height: virtual.getTotalSize() + (more ? 40 : 0) }} data-selecting={chosen.size > 0 || undefined} onClick={onClick} onMouseOver={onMouseOver}>
          {items.map((item) => {
            const r = rows[item.index];
            if (!r) return null;
            return (
              <Row
                key={r.id}
                request={r}
                href={`/requests/${r.key}${address}`}
                top={item.start}
                height={height}
                index={item.index}
                at={timeOf(filters, r)}
                byMail={byMail.has(r.collection.id)}
                compact={density === "compact"}
                here={cursor.id === r.id}
                focused={cursor.byKey && cursor.id === r.id}
                open={open === r.id}
                chosen={chosen.has(r.id)}
                draft={drafts.has(r.id) && open !== r.id}
                picture={pictures.get(r.assignee?.id ?? "")}
                gone={!fits(filters, r, myUser)}
              />
            );
          })}
          {more && (
            <li className={classes.more} data-more>
              {t`Loading more…`}
            </li>
          )}
        </ul>
      </div>
    </div>
  );
}
