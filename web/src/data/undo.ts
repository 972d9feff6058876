// What was done last, and how it is undone: what the key z and the sentences with
// an Undo lead to.
import { tellUndo } from "../parts/tell";

export type Done = { undo: () => void };

// Further back than this nobody remembers what they did.
const most = 20;
const done: Done[] = [];
let hideLast = () => {};

/**
 * Keeps the place of something that is still being done, so that the key undoes this, and not what was done before it. `ended`
 * gives up the place, and says whether somebody asked for it meanwhile; `didWithUndo` takes it.
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
 * Says that something is done, and offers to undo it: in the sentence, and by the key for as long as nothing newer is left to undo.
 * What can be undone for some seconds only is forgotten after them. Gives a function for when it was undone elsewhere.
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
  // One sentence at a time, since the key knows the others; but what only its sentence can undo stays.
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
