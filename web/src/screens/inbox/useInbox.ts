// What the inbox knows and can do: the list, where the keys are in it, what is
// selected, and the commands.
import { plural, t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useState } from "react";
import { useMayWrite, useMe } from "../../data/me";
import type { Mode } from "../../data/messages";
import { userQuery } from "../../data/people";
import { type ListedRequest, type Request, followRequest, markRead, requestQuery, rowOf } from "../../data/requests";
import { undoLast } from "../../data/undo";
import { useCommands } from "../../frame/commands";
import { useFolded } from "../../parts/Panes";
import { preloadEditor } from "../../parts/editor";
import { tell, tellProblem } from "../../tell";
import type { Choosing } from "./Choices";
import { preloadDialogs } from "./dialogs";
import type { OnOpen } from "./onOpen";
import { giveUpComposer, writeIn } from "./request/composers";
import { useArrivals } from "./useArrivals";
import { titled, useDoing } from "./useDoing";
import { fits } from "./fits";
import { scrollId } from "./List";
import { useList } from "./useList";
import { useSelection } from "./useSelection";

export function useInbox(searchBox: RefObject<HTMLInputElement | null>) {
  const client = useQueryClient();
  const mayWrite = useMayWrite();
  const listed = useList();
  const { rows, open, opening, list, show, query, refresh } = listed;
  const selection = useSelection(rows);
  const doing = useDoing();
  const [at, setAt] = useState<{ id: number | null; byKey: boolean }>({ id: null, byKey: false });
  const [choosing, setChoosing] = useState<Choosing | null>(null);
  const [alone, setAlone] = useState(false); // what is chosen is for the open request, whatever is selected
  const choose = (what: Choosing | null) => {
    setAlone(false);
    setChoosing(what);
  };
  // A second press of a control closes what the first has opened.
  const chooseAlone = (what: Choosing) => {
    setAlone(true);
    setChoosing(choosing === what ? null : what);
  };
  const [merging, setMerging] = useState(false);
  const [making, setMaking] = useState(false);
  const myself = useMe()?.user ?? null;
  const myUser = myself?.id ?? null;
  const [folded, fold] = useFolded("list");
  // With a request open, the keys are where it is.
  const cursor = open === null ? at : { id: open, byKey: at.byKey && at.id === open };

  const bringAndStay = useCallback(() => void refresh(), [refresh]);
  const [fresh, forget] = useArrivals({ filters: query, rows, answered: list.isSuccess, more: list.hasNextPage, open }, bringAndStay);
  const bring = () => {
    forget();
    document.getElementById(scrollId)?.scrollTo({ top: 0 });
    void refresh();
  };
  // Another list: nothing of it is selected.
  const { clear } = selection;
  useEffect(() => {
    clear();
    forget();
    setAt({ id: null, byKey: false });
  }, [query, clear, forget]);

  // Whoever opens a request has read it.
  useEffect(() => {
    if (open !== null) void markRead(client, open, true).catch(() => {});
  }, [client, open]);

  // The composer is asked for before it is there, too; and what was typed for it is kept when somebody goes on.
  useEffect(() => (open === null ? undefined : () => giveUpComposer(open)), [open]);
  // Whoever looks through the list will write: by then the editor is there, and what opens by a key.
  useEffect(() => {
    if (!mayWrite || !list.isSuccess) return;
    const preload = () => {
      preloadDialogs();
      preloadEditor();
    };
    // Not before the list is drawn. Some browsers do not say when they have nothing else to do.
    if (!("requestIdleCallback" in window)) {
      const timer = globalThis.setTimeout(preload, 200);
      return () => globalThis.clearTimeout(timer);
    }
    const idle = window.requestIdleCallback(preload, { timeout: 1000 });
    return () => window.cancelIdleCallback(idle);
  }, [mayWrite, list.isSuccess]);

  const { fetchNextPage, isFetching } = list;
  const loadMore = useCallback(() => {
    if (!isFetching) void fetchNextPage();
  }, [fetchNextPage, isFetching]);

  const openRow = (id: number) => {
    setAt({ id, byKey: false });
    show(id);
  };
  const move = (step: number) => {
    const here = opening() ?? open;
    const from = rows.findIndex((r) => r.id === (here ?? cursor.id));
    const next = rows[from < 0 ? 0 : from + step];
    if (!next) return;
    setAt({ id: next.id, byKey: true });
    if (here !== null) show(next.id, true);
    else void client.prefetchQuery(requestQuery(next.id));
  };

  // What a key acts on: everything that is selected, or else what is open, or where the keys are.
  const current = cursor.id === null ? null : (rows.find((r) => r.id === cursor.id) ?? opened(client.getQueryData<Request>(["request", cursor.id])));
  const targets: ListedRequest[] = selection.requests.length > 0 ? selection.requests : current ? [current] : [];
  const need = (f: () => void) => () => (targets.length > 0 ? f() : tell(t`Select a request first, with j and k.`));

  const solveThese = (targets: ListedRequest[]) =>
    doing.change(
      targets,
      (r) => (r.state === "solved" || r.state === "closed" ? null : { state: "solved" }),
      (n, first) => {
        const requests = titled(n, first);
        return t`${requests} solved.`;
      },
    );
  const solve = () => {
    solveThese(targets);
    if (selection.requests.length === 0 && open === null) move(1);
  };
  // The next one on the list that still needs work; at the end, the list itself.
  const solveAndNext = (targets: ListedRequest[]) => {
    const from = rows.findIndex((r) => r.id === cursor.id);
    const done = new Set(targets.map((r) => r.id));
    const next = rows.find((r, i) => i > from && !done.has(r.id) && fits(query, r, myUser));
    solveThese(targets);
    setAt({ id: next?.id ?? null, byKey: true });
    if (open !== null) show(next?.id ?? null);
  };
  const assignToMe = (targets: ListedRequest[]) => {
    if (!myself) return tell(t`You have no chat profile, so requests cannot be assigned to you.`);
    client.setQueryData(userQuery(myself.id).queryKey, myself); // the row has the name at once
    doing.change(
      targets,
      (r) => (r.assignee?.id === myself.id ? null : { assignee: myself.id }),
      (n, first) => {
        const requests = titled(n, first);
        return t`${requests} assigned to you.`;
      },
    );
  };
  const follow = () => {
    const all = targets.every((r) => r.following);
    for (const r of targets) if ((r.following ?? false) === all) void followRequest(client, r.id, !all).catch((e: unknown) => tellProblem(e, t`Nothing was changed.`));
    tell(
      all
        ? t`${plural({ count: targets.length }, { one: "You no longer follow this request.", other: "You no longer follow these requests." })}`
        : t`${plural({ count: targets.length }, { one: "You now follow this request. Find it in the view “Following”.", other: "You now follow these requests. Find them in the view “Following”." })}`,
    );
  };
  // Also of the request that is about to be open: who presses Enter and then this does not wait in between.
  const write = (mode: Mode) => {
    if (cursor.id === null) return tell(t`Select a request first, with j and k.`);
    if (open === null) openRow(cursor.id);
    writeIn(cursor.id, mode);
  };
  const mark = () => {
    const unread = targets.every((r) => r.unread);
    doing.mark(targets, unread);
  };
  const back = () => {
    if (selection.chosen.size > 0) selection.clear();
    else if (open !== null) {
      setAt({ id: open, byKey: true });
      show(null);
    }
  };
  const keyed = (id: string, label: string, keys: string, run: () => void) => ({ id, label, keys, group: t`List`, keyOnly: true, run });
  const act = (id: string, label: string, keys: string, run: () => void) => ({ id, label, keys, group: t`Request`, run });
  useCommands([
    keyed("next", t`Next request`, "j", () => move(1)),
    keyed("previous", t`Previous request`, "k", () => move(-1)),
    ...(open === null ? [keyed("open", t`Open request`, "enter", () => cursor.id !== null && openRow(cursor.id))] : []),
    keyed("back", t`Back to list, or clear selection`, "escape", back),
    keyed("select", t`Select or deselect`, "x", () => cursor.id !== null && selection.toggle(cursor.id)),
    keyed("search", t`Search requests`, "/", () => searchBox.current?.select()),
    { id: "select all", label: t`Select all loaded`, group: t`List`, run: selection.all },
    keyed("fold", t`Hide or show the list`, "[", () => fold(!folded)),
    { id: "refresh", label: t`Refresh list`, group: t`List`, run: bring },
    ...(mayWrite
      ? [
          act("reply", t({ message: "Reply", context: "verb" }), "r", () => write("reply")),
          act("note", t`Write an internal note`, "n", () => write("note")),
          act(
            "assign",
            t`Assign`,
            "a",
            need(() => choose("assignee")),
          ),
          act(
            "assign to me",
            t`Assign to me`,
            "i",
            need(() => assignToMe(targets)),
          ),
          act("solve", t`Solve`, "e", need(solve)),
          act(
            "solve and next",
            t`Solve and go to the next`,
            "shift+e",
            need(() => solveAndNext(targets)),
          ),
          {
            ...act(
              "snooze",
              t({ message: "Snooze", context: "verb" }),
              "h",
              need(() => choose("snooze")),
            ),
            opens: targets.length > 0,
          },
          { id: "new request", label: t`New request`, keys: "c", group: t`List`, opens: true, run: () => setMaking(true) },
          act(
            "priority",
            t`Set priority`,
            "p",
            need(() => choose("priority")),
          ),
          act(
            "state",
            t`Set state`,
            "s",
            need(() => choose("state")),
          ),
          {
            id: "customer",
            label: t`Set customer`,
            group: t`Request`,
            run: need(() => choose("customer")),
          },
          {
            id: "team",
            label: t`Set team`,
            group: t`Request`,
            run: need(() => choose("team")),
          },
          act(
            "tags",
            t`Edit tags`,
            "l",
            need(() => choose("tags")),
          ),
          {
            ...act("merge", t`Merge selected`, "m", () => (selection.requests.length > 1 ? setMerging(true) : tell(t`Select two or more requests first, with x.`))),
            opens: selection.requests.length > 1,
          },
        ]
      : []),
    act("follow", t`Follow or stop following`, "shift+f", need(follow)),
    act("unread", t`Mark as read or unread`, "u", need(mark)),
    act("undo", t`Undo last action`, "z", () => undoLast() || tell(t`Nothing to undo.`)),
  ]);
  const chooseFor = alone && current ? [current] : targets;
  // Where a choice opens: at the buttons for the selection, at the control of what is open, or at the row.
  const selected = selection.requests.length > 0 && !alone;
  const chooseAt = selected ? [`selected ${choosing}`] : open !== null ? [String(choosing), "request"] : ["[data-id][data-here]"];
  const onOpen: OnOpen = {
    choose: chooseAlone,
    choosing: alone || selection.requests.length === 0 ? choosing : null,
    assignToMe: () => current && assignToMe([current]),
    solve: () => current && solveThese([current]),
    reopen: () =>
      current &&
      doing.change(
        [current],
        (r) => (r.state === "solved" ? { state: "open" } : null),
        (n, first) => {
          const requests = titled(n, first);
          return t`${requests} reopened.`;
        },
      ),
    solveAndNext: () => current && solveAndNext([current]),
    next: () => move(1),
  };
  return { ...listed, chooseFor, chooseAt, onOpen, selection, doing, cursor, choosing, choose, merging, setMerging, making, setMaking, fresh, bring, loadMore, openRow, solve, mayWrite, folded };
}

/** A request that is open and on no page that is loaded. */
function opened(request: Request | undefined): ListedRequest | null {
  return request ? (rowOf(request) as ListedRequest) : null;
}
