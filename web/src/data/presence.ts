// Who else is at the open request, and what this tab tells them. It is told again and
// again, because the server keeps nothing of it: who falls silent is gone.
import { useCallback, useEffect, useRef, useState } from "react";
import { type Schemas, api, ask } from "../api/client";
import { randomKey } from "./browser";
import { follow, useConnected } from "./live";
import { useSignedOut } from "./signedOut";

export type Present = Schemas["Present"];

// The server forgets a tab after three times this.
const beatTime = 15_000;
// Who has not pressed a key for this long does not write any more.
const writingTime = 10_000;

const tab = randomKey();

let writing: { request: number; end: number } | null = null;
const listeners = new Set<() => void>();

/** Says that something was just written in a request's composer, or with `false` that nothing is left of it. */
export function wrote(requestId: number, something: boolean) {
  const was = writing?.request === requestId;
  window.clearTimeout(writing?.end);
  writing = something ? { request: requestId, end: window.setTimeout(() => wrote(requestId, false), writingTime) } : null;
  if (was !== something) for (const l of listeners) l();
}

/** Tells the others that this tab is at a request while it is on the screen. Returns who else is there. */
export function usePresence(requestId: number): Present[] {
  const [others, setOthers] = useState<Present[]>([]);
  const connected = useConnected();
  const signedOut = useSignedOut();
  const reachable = connected && !signedOut;
  const here = useRef({ reachable, said: null as string | null, heard: 0 });
  here.current.reachable = reachable;

  const say = useCallback(
    async (doing: Present["doing"] | null) => {
      const h = here.current;
      if (!h.reachable || (doing === null && h.said === null)) return;
      h.said = doing;
      const heard = ++h.heard;
      try {
        const { presence } = await ask(api.PUT("/v1/rest/requests/{id}/presence", { params: { path: { id: requestId } }, body: { tab, doing }, keepalive: true }));
        if (h.heard === heard) setOthers(presence.others); // otherwise something newer is known
      } catch {
        // It is said again in a moment. What went wrong shows wherever it matters.
      }
    },
    [requestId],
  );
  const sayNow = useCallback(() => say(document.visibilityState === "hidden" ? null : writing?.request === requestId ? "writing" : "looking"), [say, requestId]);

  useEffect(() => {
    const leave = () => void say(null);
    const look = () => void sayNow();
    const beat = window.setInterval(() => document.visibilityState === "visible" && look(), beatTime);
    listeners.add(look);
    document.addEventListener("visibilitychange", look);
    window.addEventListener("pagehide", leave);
    const unfollow = follow((events) => {
      const news = events.findLast((e) => e.type === "presence.changed" && e.data.presence.request_id === requestId);
      if (news?.type !== "presence.changed") return;
      here.current.heard++;
      setOthers(news.data.presence.others);
    });
    return () => {
      window.clearInterval(beat);
      listeners.delete(look);
      document.removeEventListener("visibilitychange", look);
      window.removeEventListener("pagehide", leave);
      unfollow();
      leave();
    };
  }, [requestId, say, sayNow]);

  // Without a stream nobody says who has gone.
  useEffect(() => {
    if (reachable) void sayNow();
    else setOthers([]);
  }, [reachable, sayNow]);
  return others;
}
