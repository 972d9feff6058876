// What was done last, and how it is undone: what the key z and the sentences with
// an Undo lead to.
import { tellUndo } from "../parts/tell";

type Done = { undo: () => void };

// Further back than this nobody remembers what they did.
const most = 20;
const done: Done[] = [];

/**
 * Says that something is done, and offers to undo it: in the sentence, and by the key for as long as nothing newer is left to undo.
 * What can be undone for some seconds only is forgotten after them. Gives a function for when it was undone elsewhere.
 */
export function didWithUndo(message: string, undo: () => void, seconds?: number): () => void {
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
  const hide = tellUndo(message, entry.undo, seconds);
  if (seconds !== undefined) window.setTimeout(() => take(entry), seconds * 1000);
  done.push(entry);
  if (done.length > most) done.shift();
  return forget;
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
