// What the inbox knows and can do: the list, where the keys are in it, what is
// selected, and the commands.
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
    document.querySelector('[aria-label="Requests"]')?.scrollTo({ top: 0 });
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
  const need = (f: () => void) => () => (targets.length > 0 ? f() : tell("Select a request first, with j and k."));

  const solveThese = (targets: ListedRequest[]) =>
    doing.change(
      targets,
      (r) => (r.state === "solved" || r.state === "closed" ? null : { state: "solved" }),
      (n, first) => `${titled(n, first)} solved.`,
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
    if (!myself) return tell("You have no chat profile, so requests cannot be assigned to you.");
    client.setQueryData(userQuery(myself.id).queryKey, myself); // the row has the name at once
    doing.change(
      targets,
      (r) => (r.assignee?.id === myself.id ? null : { assignee: myself.id }),
      (n, first) => `${titled(n, first)} assigned to you.`,
    );
  };
  const follow = () => {
    const all = targets.every((r) => r.following);
    for (const r of targets) if ((r.following ?? false) === all) void followRequest(client, r.id, !all).catch((e: unknown) => tellProblem(e, "Nothing was changed."));
    tell(all ? "You no longer follow this." : "You follow this. The view “Following” has it.");
  };
  // Also of the request that is about to be open: who presses Enter and then this does not wait in between.
  const write = (mode: Mode) => {
    if (cursor.id === null) return tell("Select a request first, with j and k.");
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
  const keyed = (id: string, label: string, keys: string, run: () => void) => ({ id, label, keys, group: "List", keyOnly: true, run });
  const act = (id: string, label: string, keys: string, run: () => void) => ({ id, label, keys, group: "Request", run });
  useCommands([
    keyed("next", "Next request", "j", () => move(1)),
    keyed("previous", "Previous request", "k", () => move(-1)),
    ...(open === null ? [keyed("open", "Open request", "enter", () => cursor.id !== null && openRow(cursor.id))] : []),
    keyed("back", "Back to list, or clear selection", "escape", back),
    keyed("select", "Select or deselect", "x", () => cursor.id !== null && selection.toggle(cursor.id)),
    keyed("search", "Search requests", "/", () => searchBox.current?.select()),
    { id: "select all", label: "Select all loaded", group: "List", run: selection.all },
    keyed("fold", "Hide or show the list", "[", () => fold(!folded)),
    { id: "refresh", label: "Refresh list", group: "List", run: bring },
    ...(mayWrite
      ? [
          act("reply", "Reply", "r", () => write("reply")),
          act("note", "Write an internal note", "n", () => write("note")),
          act(
            "assign",
            "Assign",
            "a",
            need(() => choose("assignee")),
          ),
          act(
            "assign to me",
            "Assign to me",
            "i",
            need(() => assignToMe(targets)),
          ),
          act("solve", "Solve", "e", need(solve)),
          act(
            "solve and next",
            "Solve and go to the next",
            "shift+e",
            need(() => solveAndNext(targets)),
          ),
          {
            ...act(
              "snooze",
              "Snooze",
              "h",
              need(() => choose("snooze")),
            ),
            opens: targets.length > 0,
          },
          { id: "new request", label: "New request", keys: "c", group: "List", opens: true, run: () => setMaking(true) },
          act(
            "priority",
            "Set priority",
            "p",
            need(() => choose("priority")),
          ),
          act(
            "state",
            "Set state",
            "s",
            need(() => choose("state")),
          ),
          {
            id: "customer",
            label: "Set customer",
            group: "Request",
            run: need(() => choose("customer")),
          },
          {
            id: "team",
            label: "Set team",
            group: "Request",
            run: need(() => choose("team")),
          },
          act(
            "tags",
            "Edit tags",
            "l",
            need(() => choose("tags")),
          ),
          {
            ...act("merge", "Merge selected", "m", () => (selection.requests.length > 1 ? setMerging(true) : tell("Select two or more requests first, with x."))),
            opens: selection.requests.length > 1,
          },
        ]
      : []),
    act("follow", "Follow or stop following", "shift+f", need(follow)),
    act("unread", "Mark as read or unread", "u", need(mark)),
    act("undo", "Undo last action", "z", () => undoLast() || tell("Nothing to undo.")),
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
        (n, first) => `${titled(n, first)} reopened.`,
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
