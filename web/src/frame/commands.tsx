// The commands that are available now: one list for the keys, the palette and the
// list of keyboard shortcuts. A screen adds its commands while it is shown.
import { t } from "@lingui/core/macro";
import { useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { keysHeld } from "./typeahead";

export type Command = {
  /** Unique among those that are shown at the same time. */
  id: string;
  label: string;
  /** For example "j", "g i", "mod+k" or "shift+x". While somebody types, only keys with mod work. */
  keys?: string;
  /** What it belongs to in the palette and in the help. */
  group: string;
  run: () => void;
  /** Leave it out of the palette, where a command such as "Next request" makes no sense. */
  keyOnly?: boolean;
  /** A dialog opens, and takes the keys that follow. */
  opens?: boolean;
};

type Layer = { commands: Command[] };

const layers: Layer[] = [];
const listeners = new Set<() => void>();
let all: Command[] = [];

function changed() {
  // When two layers have a command with the same key or id, the newer one wins.
  const seen = new Set<string>();
  all = [];
  for (const layer of [...layers].reverse()) {
    for (const c of layer.commands) {
      if (seen.has(c.id)) continue;
      seen.add(c.id);
      all.push(c);
    }
  }
  for (const l of listeners) l();
}

/** Adds commands while the component is there. */
export function useCommands(commands: Command[]) {
  // `run` may change with every render, but the layer changes only when the list does.
  const latest = useRef(commands);
  latest.current = commands;
  const listed = commands.map((c) => `${c.id}\n${c.label}\n${c.keys}\n${c.group}\n${c.keyOnly}\n${c.opens}`).join("\0");
  // Before the page is painted: a key that is pressed as soon as the page can be seen must not be lost.
  useLayoutEffect(() => {
    const layer: Layer = { commands: latest.current.map((c) => ({ ...c, run: () => latest.current.find((l) => l.id === c.id)?.run() })) };
    layers.push(layer);
    changed();
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      changed();
    };
  }, [listed]);
}

/** Everything that can be done now, what is nearest first. */
export function useAllCommands(): Command[] {
  return useSyncExternalStore(
    (l) => {
      listeners.add(l);
      return () => listeners.delete(l);
    },
    () => all,
  );
}

/** The command with this key, if there is one now. */
function withKeys(keys: string): Command | undefined {
  return all.find((c) => c.keys === keys);
}

const apple = /Mac|iPhone|iPad/.test(navigator.platform);

/** How a key is written for people. */
export function keyNames(keys: string): string[] {
  return keys.split(" ").map((k) =>
    k
      .split("+")
      .map((part) => {
        switch (part) {
          case "mod":
            return apple ? "⌘" : t({ message: "Ctrl", context: "key" });
          case "shift":
            return apple ? "⇧" : t({ message: "Shift", context: "key" });
          case "enter":
            return "↵";
          case "escape":
            return t({ message: "Esc", context: "key" });
          case "arrowup":
            return "↑";
          case "arrowdown":
            return "↓";
          case "f2":
            return "F2";
          default:
            return part;
        }
      })
      .join(apple ? "" : "+"),
  );
}

function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input:not([type="checkbox"], [type="radio"]), textarea, select, [role="combobox"], [role="listbox"], [role="menu"]') !== null;
}

/** Enter presses what has the focus, whatever else it may do. */
function pressable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a[href], button, summary, [role="button"], [role="separator"]') !== null;
}

/** Keys belong to a dialog while one is open. */
function dialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"], [role="menu"]') !== null;
}

// The key that closes a dialog must do nothing else. The dialog may be gone when the
// key reaches the commands, so this listener checks before any dialog handles the key.
let inDialog = false;
window.addEventListener("keydown", () => (inDialog = dialogOpen()), true);

function pressed(e: KeyboardEvent): string {
  const mod = e.metaKey || e.ctrlKey;
  const named = e.key.length > 1;
  const key = e.key.toLowerCase();
  // "?" is already what shift made of it; a letter is not.
  const shift = e.shiftKey && (named || /[a-z]/.test(key));
  return `${mod ? "mod+" : ""}${shift ? "shift+" : ""}${key}`;
}

// Two keys in a row belong together when the second follows within a second.
const sequenceTime = 1000;

/** Runs commands by their keys. Mounted once, by the frame. */
export function useKeys() {
  useLayoutEffect(() => {
    let first = "";
    let at = 0;
    let opening = false;
    const onKey = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.isComposing || e.altKey || keysHeld() || opening) return;
      const key = pressed(e);
      if (["shift", "control", "meta", "mod+control", "mod+meta", "shift+shift"].includes(key)) return;
      if (!key.startsWith("mod+") && typing(e.target)) return;
      if (inDialog || dialogOpen()) return;
      if (key === "enter" && pressable(e.target)) return;
      const sequence = first !== "" && e.timeStamp - at < sequenceTime ? withKeys(`${first} ${key}`) : undefined;
      const command = sequence ?? withKeys(key);
      first = sequence ? "" : key;
      at = e.timeStamp;
      if (!command) return;
      e.preventDefault();
      command.run();
      if (!command.opens) return;
      // A dialog is drawn a frame after it was asked for, and what is typed until then is meant for it.
      opening = true;
      requestAnimationFrame(() => requestAnimationFrame(() => (opening = false)));
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** A key, shown next to what it does. Screen readers skip it unless `spoken` is set. */
export function Keys({ keys, spoken = false }: { keys: string; spoken?: boolean }) {
  return (
    <span className="needs-keyboard" aria-hidden={!spoken} style={{ whiteSpace: "nowrap" }}>
      {keyNames(keys).map((k, i) => (
        <kbd className="key" key={i} style={{ marginInlineStart: i > 0 ? 3 : 0 }}>
          {k}
        </kbd>
      ))}
    </span>
  );
}
