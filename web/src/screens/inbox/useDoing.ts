// Changes of one request or of many: drawn at once, counted while they run, and
// undone together.
import { plural, t } from "@lingui/core/macro";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { sentence } from "../../api/client";
import { type Me, useMe } from "../../data/me";
import { type ListedRequest, type RequestChange, changeRequest, listedRequest, markRead, undoChange } from "../../data/requests";
import { didWithUndo } from "../../data/undo";
import { tell, tellProblem } from "../../tell";

export type Failed = { request: ListedRequest; why: string };

export type Progress = {
  /** Something is taken back, rather than done. */
  undoing: boolean;
  done: number;
  total: number;
  running: boolean;
  failed: Failed[];
  stop: () => void;
};

type Work = { request: ListedRequest; run: () => Promise<unknown>; undo: () => Promise<unknown> };

// Few enough not to keep the server from anybody else.
const atOnce = 4;

/** What can be done to requests, and how far it has got. */
export function useDoing() {
  const client = useQueryClient();
  const me = useMe();
  const [progress, setProgress] = useState<Progress | null>(null);
  // One thing after the other: the second may build on the first.
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const inTurn = (f: () => Promise<unknown>) => {
    queue.current = queue.current.then(f, f);
  };

  const many = async (undoing: boolean, works: Work[], act: (w: Work) => Promise<unknown>): Promise<Work[]> => {
    let stopped = false;
    const state: Progress = { undoing, done: 0, total: works.length, running: true, failed: [], stop: () => (stopped = true) };
    const done: Work[] = [];
    // One is done as soon as it is drawn.
    const show = () => works.length > 1 && setProgress({ ...state });
    const rest = works.values();
    show();
    const worker = async () => {
      for (const w of rest) {
        if (stopped) return;
        try {
          await act(w);
          done.push(w);
        } catch (error) {
          state.failed = [...state.failed, { request: w.request, why: sentence(error) }];
        }
        state.done++;
        show();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    state.running = false;
    // What went well is told in a sentence; what did not, of many, stays to be read.
    const alone = works.length === 1 ? state.failed[0] : undefined;
    if (alone) tellProblem(new Error(alone.why), t`Nothing was changed.`);
    setProgress(state.failed.length > 0 && !alone ? { ...state } : null);
    return done;
  };

  /** Does all of it, and says so with a way back. did gives the sentence for so many. */
  const run = (works: Work[], did: (n: number, first: ListedRequest) => string) => {
    const first = works[0];
    if (!first) return tell(t`Nothing to change.`);
    inTurn(async () => {
      const done = await many(false, works, (w) => w.run());
      if (done.length === 0) return;
      didWithUndo(did(done.length, first.request), () => inTurn(() => many(true, done, (w) => w.undo())));
    });
  };

  return {
    progress,
    dismiss: () => setProgress(null),
    /** Changes requests; change gives null for one that is so already. */
    change: (requests: ListedRequest[], change: (r: ListedRequest) => RequestChange | null, did: (n: number, first: ListedRequest) => string) => {
      run(
        requests.filter((r) => change(r) !== null).map((r) => changing(client, me, r, change)),
        did,
      );
    },
    mark: (requests: ListedRequest[], read: boolean) =>
      run(
        requests.filter((r) => r.unread === read).map((request) => ({ request, run: () => markRead(client, request.id, read), undo: () => markRead(client, request.id, !read) })),
        (n, first) => {
          const requests = titled(n, first);
          return read ? t`${requests} marked as read.` : t`${requests} marked as unread.`;
        },
      ),
  };
}

function changing(client: QueryClient, me: Me | null, request: ListedRequest, change: (r: ListedRequest) => RequestChange | null): Work {
  const { id } = request;
  let fields: string[] = [];
  return {
    request,
    run: async () => {
      // In its turn, what went before has been drawn: a second tag is added to the first.
      const c = change(listedRequest(client, id) ?? request);
      if (c === null) return;
      fields = Object.keys(c);
      await changeRequest(client, id, c);
    },
    undo: () => undoChange(client, id, (h) => h.action === "request.updated" && h.actor.id === (me?.member.id ?? null) && h.changes.some((c) => fields.includes(c.field))),
  };
}

/** What a message about a change calls its requests: "“Printer”", or "3 requests". */
export function titled(n: number, first: ListedRequest): string {
  const title = first.title.length > 40 ? `${first.title.slice(0, 38)}…` : first.title;
  return n === 1 ? t`“${title}”` : t`${plural(n, { one: "# request", other: "# requests" })}`;
}
