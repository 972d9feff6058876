// What somebody has begun to write, kept in this browser until it is sent or
// thrown away.
import type { Schemas } from "../api/client";
import { type KeptFile, keepRow, keptRow, keptRows, namesOf } from "./browser";

export type WaitingMessage = Schemas["WaitingMessage"];
export type Mode = "reply" | "note";

export type Draft = {
  html: string;
  mode: Mode;
  files: KeptFile[];
  /** Files that the server has already, of a message that was taken back. */
  kept: WaitingMessage["attachments"];
  /** The newest message that there was when it was begun; 0 if that is not known. */
  seen: number;
};

/** What was begun in a request; null when there is nothing. */
export function draft(requestId: number): Draft | null {
  const kept = keptRow<Partial<Draft>>(`draft.${requestId}`);
  return kept && typeof kept.html === "string" ? { html: kept.html, mode: kept.mode === "note" ? "note" : "reply", files: kept.files ?? [], kept: kept.kept ?? [], seen: kept.seen ?? 0 } : null;
}

/** Keeps what was begun; nothing of it when there is neither text nor a file. */
export function keepDraft(requestId: number, { html, mode, files, kept, seen = 0 }: Omit<Draft, "files" | "seen"> & { files: File[] | KeptFile[]; seen?: number }) {
  const named = files.map((f) => (f instanceof File ? namesOf([f])[0]! : f));
  keepRow(`draft.${requestId}`, html === "" && named.length === 0 && kept.length === 0 ? null : { html, mode, files: named, kept, seen });
}

/** The requests in which something was begun. */
export function requestsWithDrafts(): number[] {
  return keptRows("draft.").map(Number);
}

/** The files that drafts name. */
export function filesOfDrafts(): KeptFile[] {
  return keptRows("draft.").flatMap((id) => draft(Number(id))?.files ?? []);
}
