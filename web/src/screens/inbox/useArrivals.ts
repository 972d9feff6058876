// What happens while somebody looks at a list: rows change in place, and what is
// new is counted until they want to see it.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { type Event, follow, whenLeftBehind } from "../../data/live";
import { useMe } from "../../data/me";
import { type ListedRequest, type RequestFilters, drawLast, drawMailStatus, drawMark, drawRow, dropRequests, markRead, rowOf } from "../../data/requests";
import { followWindows } from "../../data/windows";
import { fits, withinLoaded } from "./fits";

type Listed = { filters: RequestFilters; rows: ListedRequest[]; answered: boolean; more: boolean; open: number | null };

/** Keeps a list up to date. Gives how many requests are new, and a function that forgets them. */
export function useArrivals(listed: Listed, refresh: () => void): [count: number, forget: () => void] {
  const client = useQueryClient();
  const me = useMe();
  const [fresh, setFresh] = useState<ReadonlySet<number>>(new Set());
  const now = { ...listed, me, refresh };
  const latest = useRef(now);
  latest.current = now;
  const missed = useRef<number | null>(null);
  const read = useCallback((id: number) => void markRead(client, id, true).catch(() => {}), [client]);

  useEffect(() => followWindows((mark) => drawMark(client, mark.request, mark.unread)), [client]);
  useEffect(() => {
    const comeBack = () => {
      if (document.visibilityState === "hidden") return;
      if (missed.current !== null && missed.current === latest.current.open) read(missed.current);
      missed.current = null;
    };
    document.addEventListener("visibilitychange", comeBack);
    return () => document.removeEventListener("visibilitychange", comeBack);
  }, [read]);
  useEffect(
    () =>
      follow((events) => {
        const { filters, rows, more, open, me, refresh } = latest.current;
        const loaded = new Set(rows.map((r) => r.id));
        const came = new Set<number>();
        const left = new Set<number>();
        for (const e of events) {
          const request = requestOf(e);
          if (request?.merged_into) {
            dropRequests(client, [request.id]);
            left.add(request.id);
          } else if (request && loaded.has(request.id)) {
            drawRow(client, request.id, rowOf(request));
          } else if (request) {
            // What nobody has read yet may be unread: an event does not know who looks at it.
            const row = { unread: true, ...rowOf(request) } as ListedRequest;
            const here = fits(filters, row, me?.user?.id ?? null) && !filters.query && withinLoaded(filters, row, rows.at(-1), more);
            (here ? came : left).add(request.id);
            (here ? left : came).delete(request.id);
          } else if (e.type === "email.sent" || e.type === "email.failed") {
            drawMailStatus(client, e.data.request);
          } else if (e.type === "message.created" || e.type === "note.created") {
            const { message } = e.data;
            drawLast(client, message);
            if (message.author !== null && message.author === me?.user?.id) continue;
            // Who has it open reads it as it comes, or on coming back to this window.
            if (message.request_id === open && document.visibilityState === "visible") read(open);
            else {
              drawMark(client, message.request_id, true);
              if (message.request_id === open) missed.current = open;
            }
          }
        }
        if (came.size + left.size === 0) return;
        if (rows.length === 0 && came.size > 0) refresh();
        else setFresh((before) => new Set([...before, ...came].filter((id) => !left.has(id))));
      }),
    [client, read],
  );
  useEffect(() => whenLeftBehind(() => latest.current.answered && latest.current.refresh()), []);
  const unseen = fresh.size === 0 ? 0 : [...fresh].filter((id) => !listed.rows.some((r) => r.id === id)).length;
  const forget = useCallback(() => setFresh(new Set()), []);
  return [unseen, forget];
}

function requestOf(e: Event) {
  return e.type === "request.created" || e.type === "request.updated" || e.type === "sla.breached" ? e.data.request : null;
}
