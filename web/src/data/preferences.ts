// What a person likes, kept in this browser.
import { useSyncExternalStore } from "react";

type Preferences = {
  density: "comfortable" | "compact";
  /** Seconds in which a message can be taken back. */
  undoSeconds: number;
  /** Whether a conversation shows what happened between the messages. */
  timeline: boolean;
  /** Widths of the panes, by name. */
  panes: Record<string, number>;
  folded: Record<string, boolean>;
};

const usual: Preferences = { density: "comfortable", undoSeconds: 5, timeline: true, panes: {}, folded: {} };
const name = "frontdesk.preferences";
const listeners = new Set<() => void>();
let current = read();

function read(): Preferences {
  try {
    return { ...usual, ...(JSON.parse(localStorage.getItem(name) ?? "{}") as Partial<Preferences>) };
  } catch {
    return usual; // what is kept there is not ours, or may not be read
  }
}

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

export function prefer(change: Partial<Preferences>) {
  current = { ...current, ...change };
  try {
    localStorage.setItem(name, JSON.stringify(current));
  } catch {
    // It holds until the page is closed, then.
  }
  for (const l of listeners) l();
}
