// What happened to a request besides messages: changes that people and rules made, and SLA targets that were missed.
import type { SlaReading } from "../../../data/clocks";
import type { HistoryEntry } from "../../../data/history";

export type Change = HistoryEntry["changes"][number];

export type Happening = { key: string; at: string } & ({ kind: "changed"; actor: HistoryEntry["actor"]; changes: Change[] } | { kind: "missed"; target: Target });

// What an agent wants to know while reading. Tags, fields and the like are in the history.
const told = new Set([
  "state",
  "not_a_request_state",
  "assignee",
  "assigned_team",
  "priority",
  "title",
  "customer_id",
  "collection_id",
  "parent_request",
  "merged_requests",
  "merged_into",
  "split_into",
  "split_from",
]);

const targets = ["first_response", "resolution"] as const;

type Target = (typeof targets)[number];

type Clocks = Record<Target, Pick<SlaReading, "is_breached" | "due_at">>;

/** What happened, the oldest first. What was undone is left out, and so is its undoing: both are in the history. */
export function happenings(entries: HistoryEntry[], clocks: Clocks | null): Happening[] {
  const all: Happening[] = [];
  for (const h of entries) {
    if (h.undone_at !== undefined || h.action === "request.undone") continue;
    const changes = h.changes.filter((c) => told.has(c.field));
    if (changes.length > 0) all.push({ kind: "changed", key: `changed ${h.id}`, at: h.at, actor: h.actor, changes });
  }
  for (const target of targets) {
    const clock = clocks?.[target];
    if (clock?.is_breached && clock.due_at) all.push({ kind: "missed", key: `missed ${target}`, at: clock.due_at, target });
  }
  return all.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Names of those who did something, each once. */
export function actorsOf(of: Happening[]): string[] {
  return [...new Set(of.flatMap((h) => (h.kind === "changed" ? [h.actor.name] : [])))];
}
