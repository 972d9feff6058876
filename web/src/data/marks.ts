// What is marked as read or unread, in the order in which it was marked. No event
// tells of a mark, so an answer that was on its way meanwhile, and does not know of
// it, would be shown until the next reading.

type Mark = { unread: boolean; arrived: number };

const marks = new Map<number, Mark>();

/** Counts what is asked and what has arrived, so that it is known which came first. */
let turn = 0;

/** Notes a mark. Until it has arrived, the server may not know of it; where it is refused, says whether it was the newest. */
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

/** Is called before something is asked. Gives a function that puts a mark onto a row of the answer, where the answer may not know of it. */
export function watchMarks(): <R extends { id: number; unread?: boolean }>(row: R) => R {
  const asked = ++turn;
  return (row) => {
    const mark = marks.get(row.id);
    return mark && mark.arrived > asked ? { ...row, unread: mark.unread } : row;
  };
}

const sending = new Map<number, Promise<unknown>>();

/** Sends a mark when those of the same request before it have arrived: the newest counts. */
export function sendMark<T>(id: number, send: () => Promise<T>): Promise<T> {
  const sent = (sending.get(id) ?? Promise.resolve()).then(send, send);
  sending.set(id, sent);
  return sent;
}
