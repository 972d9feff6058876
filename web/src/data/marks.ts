// Requests that were marked as read or unread. There is no event for a mark, so an
// answer that was already under way would undo it on the screen. This file knows which
// came first.

type Mark = { unread: boolean; arrived: number };

const marks = new Map<number, Mark>();

/** A clock that ticks with every read and every mark, to order them. */
let turn = 0;

/** Notes a mark. Call `arrived` when the server has it, or `refused` when it failed; that returns whether it was the newest mark. */
export function noteMark(id: number, unread: boolean): { arrived: () => void; refused: () => boolean } {
  const mark: Mark = { unread, arrived: Number.POSITIVE_INFINITY };
  marks.set(id, mark);
  return {
    arrived: () => {
      mark.arrived = ++turn;
    },
    refused: () => marks.get(id) === mark && marks.delete(id),
  };
}

/** Call this before a read. Returns a function that applies marks to rows of the answer, if the answer may be older than the mark. */
export function watchMarks(): <R extends { id: number; unread?: boolean }>(row: R) => R {
  const asked = ++turn;
  return (row) => {
    const mark = marks.get(row.id);
    return mark && mark.arrived > asked ? { ...row, unread: mark.unread } : row;
  };
}

const sending = new Map<number, Promise<unknown>>();

/** Sends a mark after the earlier marks of the same request, so that the newest wins. */
export function sendMark<T>(id: number, send: () => Promise<T>): Promise<T> {
  const sent = (sending.get(id) ?? Promise.resolve()).then(send, send);
  sending.set(id, sent);
  return sent;
}
