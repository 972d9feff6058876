// What a person likes. It belongs to them and is kept by the server, so it is the same on every device; a copy here
// means that nothing flashes before the server has answered. What belongs to a device stays in this browser: how wide
// the panes are and what is folded depends on the screen, the theme on the light in the room, and whether this browser
// may show notifications is for the browser to say.
import { t } from "@lingui/core/macro";
import { queryOptions } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { type Schemas, api, ask } from "../api/client";
import { tellProblem } from "../tell";
import { queryClient } from "./client";

export type NotificationKind = Schemas["NotificationKind"];
export type Ways = Schemas["NotificationWays"];
export type QuietHours = Schemas["QuietHours"];

type Shared = {
  /** The language of the app; null is that of the browser. */
  language: ServerPreferences["language"];
  density: "comfortable" | "compact";
  /** Seconds in which a message can be taken back. */
  undoSeconds: number;
  /** Whether a conversation shows what happened between the messages. */
  timeline: boolean;
};

type OfDevice = {
  /** Widths of the panes, by name. */
  panes: Record<string, number>;
  folded: Record<string, boolean>;
  /** Whether this browser shows notifications while nobody looks at the tab. */
  alerts: boolean;
};

type Preferences = Shared & OfDevice;

/** What stands in this browser. Before `shared`, all of it belonged to the browser. */
type Kept = Partial<Preferences> & { shared?: boolean; unsent?: Change | undefined };

const usual: Preferences = { language: null, density: "comfortable", undoSeconds: 5, timeline: true, panes: {}, folded: {}, alerts: false };
const name = "frontdesk.preferences";
const listeners = new Set<() => void>();
let kept = read();
let current: Preferences = { ...usual, ...kept };

function read(): Kept {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "{}") as Kept;
  } catch {
    return {}; // what is kept there is not ours, or may not be read
  }
}

/** The language that this browser keeps for the next page. */
export const keptLanguage = () => read().language ?? null;

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (l) => {
      listeners.add(l);
      return () => listeners.delete(l);
    },
    () => current,
  );
}

export function preferences(): Preferences {
  return current;
}

function keep(change: Kept) {
  kept = { ...kept, ...change };
  current = { ...usual, ...kept };
  try {
    localStorage.setItem(name, JSON.stringify(kept));
  } catch {
    // It holds until the page is closed, then.
  }
  for (const l of listeners) l();
}

export type ServerPreferences = Schemas["Preferences"];
type Change = Schemas["PreferencesChange"];

/** What is shared, as the API calls it. */
function toChange(p: Partial<Shared>): Change {
  return {
    ...(p.language !== undefined && { language: p.language }),
    ...(p.density !== undefined && { density: p.density }),
    ...(p.undoSeconds !== undefined && { undo_seconds: p.undoSeconds }),
    ...(p.timeline !== undefined && { timeline: p.timeline }),
  };
}

const toShared = (p: ServerPreferences): Shared => ({ language: p.language, density: p.density, undoSeconds: p.undo_seconds, timeline: p.timeline });

export const preferencesQuery = queryOptions({
  queryKey: ["preferences"],
  queryFn: async ({ signal }) => {
    await send(); // what was changed just before a reload
    let { preferences: p } = await ask(api.GET("/v1/rest/me/preferences", { signal }));
    // What somebody chose here before the server kept it is theirs everywhere from now on.
    const mine = toChange({
      ...(kept.density && { density: kept.density }),
      ...(kept.undoSeconds !== undefined && { undoSeconds: kept.undoSeconds }),
      ...(kept.timeline !== undefined && { timeline: kept.timeline }),
    });
    if (!kept.shared && JSON.stringify({ ...p, ...mine }) !== JSON.stringify(p)) p = (await ask(api.PATCH("/v1/rest/me/preferences", { body: mine }))).preferences;
    if (!kept.unsent) keep({ ...toShared(p), shared: true });
    return p;
  },
  staleTime: 5 * 60_000,
});

// A slider that is dragged changes its value many times, so changes are sent together.
const gatherTime = 400;
let waiting: Change = kept.unsent ?? {};
let flying: Change = {};
let timer: number | undefined;

/** Keeps what the server has not acknowledged, because a page that is left may not hear of it. */
function keepUnsent() {
  const unsent = { ...flying, ...waiting };
  keep({ unsent: Object.keys(unsent).length > 0 ? unsent : undefined });
}

let sending = Promise.resolve();

/** Sends what waits, after what is under way: the server would not know which came first. */
const send = () => (sending = sending.then(sendNow));

async function sendNow() {
  window.clearTimeout(timer);
  timer = undefined;
  const body = waiting;
  if (Object.keys(body).length === 0) return;
  waiting = {};
  flying = body;
  try {
    queryClient.setQueryData(preferencesQuery.queryKey, (await ask(api.PATCH("/v1/rest/me/preferences", { body, keepalive: true }))).preferences);
  } catch (error) {
    tellProblem(error, t`Your preferences were not changed.`);
    void queryClient.invalidateQueries({ queryKey: preferencesQuery.queryKey });
    const known = queryClient.getQueryData(preferencesQuery.queryKey);
    if (known) keep(toShared(known));
  } finally {
    flying = {};
    keepUnsent();
  }
}

window.addEventListener("pagehide", () => void send());

/** Changes what somebody likes: at once here, and in a moment everywhere. */
export function prefer({ panes, folded, alerts, ...shared }: Partial<Preferences>) {
  keep({ ...shared, ...(panes && { panes }), ...(folded && { folded }), ...(alerts !== undefined && { alerts }) });
  const change = toChange(shared);
  if (Object.keys(change).length === 0) return;
  waiting = { ...waiting, ...change };
  keepUnsent();
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void send(), gatherTime);
}

/** Changes how somebody is told of things. It is drawn at once and taken back if it is refused. */
export async function changeNotify(change: Pick<Change, "notify" | "quiet_hours">): Promise<void> {
  await queryClient.cancelQueries({ queryKey: preferencesQuery.queryKey });
  const before = queryClient.getQueryData(preferencesQuery.queryKey);
  if (before) {
    const notify = { ...before.notify };
    for (const [kind, ways] of Object.entries(change.notify ?? {})) notify[kind as NotificationKind] = { ...notify[kind as NotificationKind], ...ways };
    const quiet = change.quiet_hours === undefined ? before.quiet_hours : change.quiet_hours && { time_zone: null, ...change.quiet_hours };
    queryClient.setQueryData(preferencesQuery.queryKey, { ...before, notify, quiet_hours: quiet });
  }
  try {
    queryClient.setQueryData(preferencesQuery.queryKey, (await ask(api.PATCH("/v1/rest/me/preferences", { body: change }))).preferences);
  } catch (error) {
    if (before) queryClient.setQueryData(preferencesQuery.queryKey, before);
    throw error;
  }
}
