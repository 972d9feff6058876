// Holds the keys for an editor that is still loading. From the moment somebody asks for
// it, no command runs, and typed text waits for the editor.

export type Typed = {
  /** What was typed; each part but the last was to be sent. Lines end with \n. */
  parts: string[];
  /** Whether the editor gets the focus: false after Escape or a click elsewhere. */
  focus: boolean;
};

let held: Typed | null = null;

/** Keeps the keys from now on. */
export function holdKeys() {
  if (held) held.focus = true;
  else held = { parts: [""], focus: true };
}

/** Whether keys are kept for a text that is on its way. */
export function keysHeld(): boolean {
  return held?.focus ?? false;
}

/** Ends it, and gives what was typed; null where nothing was held. */
export function takeKeys(): Typed | null {
  const typed = held;
  held = null;
  return typed;
}

const leave = () => {
  if (held) held.focus = false;
};

// Before anybody else, so that a key that is kept does nothing besides.
window.addEventListener(
  "keydown",
  (e) => {
    if (!held?.focus || e.isComposing) return;
    const at = held.parts.length - 1;
    const mod = (e.metaKey || e.ctrlKey) && !e.getModifierState("AltGraph");
    if (mod && e.key === "Enter") held.parts.push("");
    else if (mod)
      return; // the browser's, as to load the page again
    else if (e.key.length === 1) held.parts[at] += e.key;
    else if (e.key === "Enter") held.parts[at] += "\n";
    else if (e.key === "Backspace") held.parts[at] = [...held.parts[at]!].slice(0, -1).join("");
    else if (e.key === "Escape") leave();
    else if (e.key !== "Tab") return;
    e.preventDefault();
    e.stopImmediatePropagation();
  },
  true,
);
window.addEventListener("pointerdown", leave, true);
