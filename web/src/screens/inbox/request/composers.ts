// The composers that are on the screen, by their requests: who takes a message
// back may be looking at another one by then.
import { type Draft, draft, keepDraft } from "../../../data/drafts";
import type { NewMessage } from "../../../data/messages";

export type Written = Pick<NewMessage, "html" | "mode" | "files" | "kept">;

/** What is brought back together with what was begun meanwhile. Where one of them is a note, both are: what was meant for the team never becomes public so. */
export function together(back: Draft, begun: Draft | null): Draft {
  if (!begun || begun.html === "") return { html: back.html, mode: back.mode };
  return { html: back.html + begun.html, mode: back.mode === "note" || begun.mode === "note" ? "note" : "reply" };
}

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
  keepDraft(requestId, together(written, draft(requestId)));
  files.set(requestId, { files: written.files, kept: written.kept });
  return false;
}

/** The files that were brought back while the composer was not shown. */
export function filesBroughtBack(requestId: number): Pick<Written, "files" | "kept"> {
  const back = files.get(requestId) ?? { files: [], kept: [] };
  files.delete(requestId);
  return back;
}
