// What the windows of this browser tell each other: what has no event, and would
// otherwise be seen only where it was done.
import { whose } from "./browser";
import { queryClient } from "./client";
import { meQuery } from "./me";

export type Mark = { request: number; unread: boolean };

type Word = Mark & { whose: string };

let channel: BroadcastChannel | null = null;
const opened = () => (channel ??= new BroadcastChannel("frontdesk.marks"));

/**
 * Tells the member's other windows of a mark that the server has. A page that is opened by a link may have marked its
 * request before it knows whose it is: then they are told afterwards.
 */
export function tellWindows(mark: Mark) {
  const tell = () => {
    const who = whose();
    if (who !== null) opened().postMessage({ ...mark, whose: who } satisfies Word);
  };
  queryClient.ensureQueryData(meQuery).then(tell, () => {});
}

/** Calls f with the marks of the member's other windows. Returns a function that stops it. */
export function followWindows(f: (mark: Mark) => void): () => void {
  const hear = ({ data }: MessageEvent<Word>) => {
    if (data.whose === whose()) f(data);
  };
  opened().addEventListener("message", hear);
  return () => opened().removeEventListener("message", hear);
}
