// Entries of the audit log as sentences.
import type { AuditLog } from "../../data/auditLogs";

const verbs: Record<string, string> = {
  created: "created",
  updated: "changed",
  deleted: "deleted",
  "member.deleted": "removed",
  "token.deleted": "revoked",
  muted: "muted",
  unmuted: "unmuted",
  restarted: "started to reconnect",
  connected: "connected",
  lost: "lost the connection to",
  merged: "merged requests into",
  split: "split",
  undone: "undid a change to",
  linked: "linked",
  unlinked: "unlinked",
  viewed: "viewed",
  metrics_viewed: "viewed the metrics of",
  cancelled: "cancelled",
  retried: "retried failed deliveries of",
  resynced: "updated the copies of",
  rotated: "created a new secret for",
  tested: "sent a test to",
  replayed: "replayed events to",
  disabled: "turned off",
  answered: "answered",
  exported: "exported",
  invited: "created an invitation link for",
  password_set: "set the password of",
  identity_linked: "linked a sign-in provider to",
  accepted: "accepted an unverified mail as",
  mailed_again: "sent the mail again of",
  sign_in_failed: "failed to sign in as",
};

/** "custom field" of CustomField. */
export function nounOf(resourceType: string): string {
  if (resourceType === "SLAPolicy") return "SLA policy";
  return resourceType.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

/** "changed" of member.updated. */
export function verbOf(action: string): string {
  const verb = action.slice(action.indexOf(".") + 1);
  return verbs[action] ?? verbs[verb] ?? verb.replaceAll("_", " ");
}

type Fields = Record<string, unknown>;

function fieldsOf(thing: unknown): Fields {
  return thing !== null && typeof thing === "object" ? (thing as Fields) : {};
}

/** What the thing is called, or its number. `known` is what it is called now, for entries that do not say. */
function nameOf(e: AuditLog, known: string | undefined): string {
  const { name, title, key, url, email } = { ...fieldsOf(e.before), ...fieldsOf(e.after) };
  if (e.resource_type === "Request" && typeof key === "string" && typeof title === "string") return `${key} “${title}”`;
  for (const v of [name, title, key, email, url, known]) if (typeof v === "string" && v !== "") return `“${v}”`;
  return e.resource_type === "Account" || e.resource_type === "AuditLog" ? "" : e.resource_id;
}

const sentences: Record<string, string> = { "session.created": "signed in", "session.deleted": "ended a session" };

/** What was done to what, without who. */
export function deedOf(e: AuditLog, known?: string): string {
  const whole = sentences[e.action];
  if (whole) return whole;
  return `${verbOf(e.action)} the ${nounOf(e.resource_type)} ${nameOf(e, known)}`.trim();
}

export type Difference = { field: string; before: string | null; after: string | null };

// They change with everything, or say which thing it is.
const selfEvident = new Set(["updated_at", "created_at", "id"]);

/** What is different after; of a thing that was made or removed, all that it has. */
export function differencesOf(e: AuditLog): Difference[] {
  const before = fieldsOf(e.before);
  const after = fieldsOf(e.after);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((f) => !selfEvident.has(f));
  return fields.flatMap((field) => {
    const [b, a] = [written(before[field]), written(after[field])];
    return b === a ? [] : [{ field, before: b, after: a }];
  });
}

function written(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((v) => typeof v !== "object")) return value.join(", ");
  return JSON.stringify(value);
}

const sources: Record<string, string> = {
  api: "",
  web: "",
  chat: "via chat",
  import: "via import",
  tracker: "via a ticket system",
  page: "via a public link",
  command: "on the server’s command line",
  system: "",
};

/** Through what it was done, where that is not the usual way. */
export function wayOf(e: AuditLog): string {
  // Where it was no member, the actor is called after the way already.
  if (e.source === "command" && e.actor.id === null) return "";
  return sources[e.source] ?? e.source;
}
