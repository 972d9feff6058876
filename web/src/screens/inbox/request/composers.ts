// The composers that are on the screen, by their requests: who takes a message
// back may be looking at another one by then.
import { draft, keepDraft } from "../../../data/drafts";
import type { NewMessage } from "../../../data/messages";

export type Written = Pick<NewMessage, "html" | "mode" | "files" | "kept">;

const shown = new Map<number, (written: Written) => void>();

/** Says that the composer of a request is there, and takes what is brought back. */
export function showComposer(requestId: number, take: (written: Written) => void): () => void {
  shown.set(requestId, take);
  return () => {
    if (shown.get(requestId) === take) shown.delete(requestId);
  };
}

// Files cannot be kept in a draft; until the composer is shown they wait here.
const files = new Map<number, Pick<Written, "files" | "kept">>();

/** Puts a message into the composer of its request again. False when that is not on the screen: then it is its draft. */
export function bringBack(requestId: number, written: Written): boolean {
  const take = shown.get(requestId);
  if (take) {
    take(written);
    return true;
  }
  keepDraft(requestId, { html: written.html + (draft(requestId)?.html ?? ""), mode: written.mode });
  files.set(requestId, { files: written.files, kept: written.kept });
  return false;
}

/** The files that were brought back while the composer was not shown. */
export function filesBroughtBack(requestId: number): Pick<Written, "files" | "kept"> {
  const back = files.get(requestId) ?? { files: [], kept: [] };
  files.delete(requestId);
  return back;
}
