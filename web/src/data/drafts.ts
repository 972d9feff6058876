// What somebody has begun to write, kept in this browser until it is sent. Files
// cannot be kept so.
import type { Mode } from "./messages";

export type Draft = { html: string; mode: Mode };

const prefix = "frontdesk.draft.";
// Drafts of requests that nobody came back to would fill the browser's store.
const most = 100;

/** What was begun in a request; null when there is nothing. */
export function draft(requestId: number): Draft | null {
  try {
    const kept = JSON.parse(localStorage.getItem(prefix + requestId) ?? "null") as Partial<Draft> | null;
    return kept && typeof kept.html === "string" ? { html: kept.html, mode: kept.mode === "note" ? "note" : "reply" } : null;
  } catch {
    return null; // what is kept there is not ours, or may not be read
  }
}

/** Keeps what was begun; nothing of it when there is no text. */
export function keepDraft(requestId: number, { html, mode }: Draft) {
  try {
    const name = prefix + requestId;
    localStorage.removeItem(name);
    if (html === "") return;
    const others = Object.keys(localStorage).filter((k) => k.startsWith(prefix));
    for (const k of others.slice(0, Math.max(0, others.length - most + 1))) localStorage.removeItem(k);
    localStorage.setItem(name, JSON.stringify({ html, mode }));
  } catch {
    // It holds until the page is closed, then.
  }
}
