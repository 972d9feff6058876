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
};

/** What was begun in a request; null when there is nothing. */
export function draft(requestId: number): Draft | null {
  const kept = keptRow<Partial<Draft>>(`draft.${requestId}`);
  return kept && typeof kept.html === "string" ? { html: kept.html, mode: kept.mode === "note" ? "note" : "reply", files: kept.files ?? [], kept: kept.kept ?? [] } : null;
}

/** Keeps what was begun; nothing of it when there is neither text nor a file. */
export function keepDraft(requestId: number, { html, mode, files, kept }: Omit<Draft, "files"> & { files: File[] | KeptFile[] }) {
  const named = files.map((f) => (f instanceof File ? namesOf([f])[0]! : f));
  keepRow(`draft.${requestId}`, html === "" && named.length === 0 && kept.length === 0 ? null : { html, mode, files: named, kept });
}

/** The files that drafts name. */
export function filesOfDrafts(): KeptFile[] {
  return keptRows("draft.").flatMap((id) => draft(Number(id))?.files ?? []);
}
