// The composers on the screen, by request. Undoing a message has to find the composer
// of its request, which may not be the open one. And keys can be faster than the
// composer, so what is typed is kept until it is there.
import { useEffect } from "react";
import { namesOf } from "../../../data/browser";
import { type Draft, draft, keepDraft } from "../../../data/drafts";
import type { Mode, NewMessage } from "../../../data/messages";
import { type Typed, holdKeys, takeKeys } from "../../../frame/typeahead";

export type Written = Pick<NewMessage, "html" | "mode" | "files" | "kept">;

type Text = Pick<Draft, "html" | "mode">;

/** Joins a returned message with what was begun in the meantime. If either is a note, the result is a note, so that internal text never becomes public. */
export function together(back: Text, begun: Text | null): Text {
  if (!begun || begun.html === "") return { html: back.html, mode: back.mode };
  return { html: back.html + begun.html, mode: back.mode === "note" || begun.mode === "note" ? "note" : "reply" };
}

type Composer = {
  /** Takes a message that is brought back. */
  take: (written: Written) => void;
  /** Turns to a mode, and takes the keys. */
  write: (mode: Mode) => void;
};

// null where a request is shown and nobody can write in it now.
const shown = new Map<number, Composer | null>();

/** Registers the composer of a request. null means that there will be none: then typed text becomes the draft. */
export function showComposer(requestId: number, composer: Composer | null): () => void {
  shown.set(requestId, composer);
  if (composer === null) giveUpComposer(requestId);
  return () => {
    if (shown.get(requestId) === composer) shown.delete(requestId);
  };
}

/** Registers that the request has no composer while `none` is true. */
export function useNoComposer(requestId: number, none: boolean) {
  useEffect(() => (none ? showComposer(requestId, null) : undefined), [requestId, none]);
}

/** Focuses the composer of a request, or holds the keys until it is there. */
export function writeIn(requestId: number, mode: Mode) {
  const composer = shown.get(requestId);
  if (composer) composer.write(mode);
  else if (composer === undefined) askForComposer(requestId, mode);
}

/** Puts a message into the composer of its request again. False when that is not on the screen: then it is its draft. */
export function bringBack(requestId: number, written: Written): boolean {
  const composer = shown.get(requestId);
  if (composer) {
    composer.take(written);
    return true;
  }
  const begun = draft(requestId);
  keepDraft(requestId, { ...together(written, begun), files: [...namesOf(written.files), ...(begun?.files ?? [])], kept: [...written.kept, ...(begun?.kept ?? [])], seen: begun?.seen ?? 0 });
  return false;
}

let asked: { requestId: number; mode: Mode } | null = null;

/** Asks for the composer of a request that is not there yet, or whose editor is not. What is typed from now on is kept for it. */
export function askForComposer(requestId: number, mode: Mode) {
  asked = { requestId, mode };
  holdKeys();
}

/** How the composer of a request was asked for, when it comes; null when nobody did. */
export function askedMode(requestId: number): Mode | null {
  return asked?.requestId === requestId ? asked.mode : null;
}

/** What was typed for the composer of a request, once its editor is there. */
export function takeTyped(requestId: number): Typed | null {
  if (asked?.requestId !== requestId) return null;
  asked = null;
  return takeKeys();
}

/** The composer of a request will not come, or not any more: what was typed for it becomes its draft. */
export function giveUpComposer(requestId: number) {
  const mode = askedMode(requestId);
  const typed = takeTyped(requestId);
  const text = typed?.parts.filter((p) => p.trim() !== "").join("\n") ?? "";
  if (mode === null || text === "") return;
  const html = text.split("\n").map(paragraph).join("");
  const begun = draft(requestId);
  keepDraft(requestId, { ...together({ html: begun?.html ?? "", mode: begun?.mode ?? mode }, { html, mode }), files: begun?.files ?? [], kept: begun?.kept ?? [], seen: begun?.seen ?? 0 });
}

function paragraph(line: string): string {
  const p = document.createElement("p");
  p.textContent = line;
  return p.outerHTML;
}
