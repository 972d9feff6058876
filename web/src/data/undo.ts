// The last actions and how to undo them, for the key z and the notifications with an
// Undo button.
import { tellUndo } from "../tell";

export type Done = { undo: () => void };

// Further back than this nobody remembers what they did.
const most = 20;
const done: Done[] = [];
let hideLast = () => {};

/**
 * Reserves a place for an action that is still running, so that the key z undoes this one and not the one before it.
 * `ended` frees the place and returns whether somebody asked to undo it in the meantime. `didWithUndo` fills it.
 */
export function doing() {
  let asked = false;
  const place: Done = {
    undo: () => {
      asked = true;
      take(place);
    },
  };
  push(place);
  return {
    place,
    ended: () => {
      take(place);
      return asked;
    },
  };
}

/**
 * Shows a notification with an Undo button, and lets the key z undo it while it is the newest action. With `seconds`, it
 * can be undone only that long. Returns a function to call when it was undone elsewhere.
 */
export function didWithUndo(message: string, undo: () => void, seconds?: number, place?: Done): () => void {
  const entry: Done = {
    undo: () => {
      forget();
      undo();
    },
  };
  const forget = () => {
    take(entry);
    hide();
  };
  // One notification at a time, because the key can still undo older actions. One with a time limit stays.
  if (seconds === undefined) hideLast();
  const hide = tellUndo(message, entry.undo, seconds);
  if (seconds === undefined) hideLast = hide;
  else window.setTimeout(() => take(entry), seconds * 1000);
  const at = place ? done.indexOf(place) : -1;
  if (at >= 0) done[at] = entry;
  else push(entry);
  return forget;
}

function push(entry: Done) {
  done.push(entry);
  if (done.length > most) done.shift();
}

function take(entry: Done) {
  const at = done.indexOf(entry);
  if (at >= 0) done.splice(at, 1);
}

/** Undoes the last thing. False where there is none. */
export function undoLast(): boolean {
  const last = done.at(-1);
  last?.undo();
  return last !== undefined;
}
