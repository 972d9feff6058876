// Entries of the audit log as sentences.
import { t } from "@lingui/core/macro";
import type { AuditLog } from "../../data/auditLogs";
import { locale } from "../../texts";
import { typeOf } from "./auditKinds";

/** What things are called in the log: alone, and as the object of a sentence with their name (in German, the accusative). */
const nouns: Record<AuditLog["resource_type"], { alone: () => string; named: (name: string) => string }> = {
  Account: { alone: () => t`account`, named: () => t`the account` },
  AgentSession: { alone: () => t`agent session`, named: (name) => t`the agent session ${name}` },
  Announcement: { alone: () => t`announcement`, named: (name) => t`the announcement ${name}` },
  AuditLog: { alone: () => t`audit log`, named: () => t`the audit log` },
  Channel: { alone: () => t`channel`, named: (name) => t`the channel ${name}` },
  Collection: { alone: () => t`collection`, named: (name) => t`the collection ${name}` },
  Customer: { alone: () => t`customer`, named: (name) => t`the customer ${name}` },
  CustomerNote: { alone: () => t`customer note`, named: (name) => t`the customer note ${name}` },
  CustomField: { alone: () => t`custom field`, named: (name) => t`the custom field ${name}` },
  Dashboard: { alone: () => t`dashboard`, named: (name) => t`the dashboard ${name}` },
  Exploration: { alone: () => t`exploration`, named: (name) => t`the exploration ${name}` },
  Integration: { alone: () => t`integration`, named: (name) => t`the integration ${name}` },
  Member: { alone: () => t`member`, named: (name) => t`the member ${name}` },
  Message: { alone: () => t`message`, named: (name) => t`the message ${name}` },
  Participant: { alone: () => t`participant`, named: (name) => t`the participant ${name}` },
  Person: { alone: () => t`person`, named: (name) => t`the person ${name}` },
  QuickReply: { alone: () => t`quick reply`, named: (name) => t`the quick reply ${name}` },
  Report: { alone: () => t`report`, named: (name) => t`the report ${name}` },
  Request: { alone: () => t`request`, named: (name) => t`the request ${name}` },
  SandboxToken: { alone: () => t`sandbox token`, named: (name) => t`the sandbox token ${name}` },
  Schedule: { alone: () => t`schedule`, named: (name) => t`the schedule ${name}` },
  Session: { alone: () => t`session`, named: (name) => t`the session ${name}` },
  SLAPolicy: { alone: () => t`SLA policy`, named: (name) => t`the SLA policy ${name}` },
  Survey: { alone: () => t`survey`, named: (name) => t`the survey ${name}` },
  Ticket: { alone: () => t`ticket`, named: (name) => t`the ticket ${name}` },
  TicketForm: { alone: () => t`ticket form`, named: (name) => t`the ticket form ${name}` },
  Token: { alone: () => t`token`, named: (name) => t`the token ${name}` },
  View: { alone: () => t`view`, named: (name) => t`the view ${name}` },
  WaitingMessage: { alone: () => t`waiting message`, named: (name) => t`the waiting message ${name}` },
  Webhook: { alone: () => t`webhook`, named: (name) => t`the webhook ${name}` },
};

/** The types of things, to choose from. */
export function typeNames(): { value: string; label: string }[] {
  return Object.entries(nouns).map(([value, { alone }]) => ({ value, label: alone() }));
}

/** What was done, by the whole name of the action or else by its verb. `thing` is a noun. */
const deeds: Record<string, (thing: string) => string> = {
  created: (thing) => t`created ${thing}`,
  updated: (thing) => t`changed ${thing}`,
  deleted: (thing) => t`deleted ${thing}`,
  "member.deleted": (thing) => t`removed ${thing}`,
  "token.deleted": (thing) => t`revoked ${thing}`,
  "session.created": () => t`signed in`,
  "session.deleted": () => t`ended a session`,
  muted: (thing) => t`muted ${thing}`,
  unmuted: (thing) => t`unmuted ${thing}`,
  restarted: (thing) => t`started to reconnect ${thing}`,
  connected: (thing) => t`connected ${thing}`,
  lost: (thing) => t`lost the connection to ${thing}`,
  merged: (thing) => t`merged requests into ${thing}`,
  split: (thing) => t`split ${thing}`,
  undone: (thing) => t`undid a change to ${thing}`,
  linked: (thing) => t`linked ${thing}`,
  unlinked: (thing) => t`unlinked ${thing}`,
  viewed: (thing) => t`viewed ${thing}`,
  metrics_viewed: (thing) => t`viewed the metrics of ${thing}`,
  cancelled: (thing) => t`cancelled ${thing}`,
  retried: (thing) => t`retried failed deliveries of ${thing}`,
  resynced: (thing) => t`updated the copies of ${thing}`,
  rotated: (thing) => t`created a new secret for ${thing}`,
  restored: (thing) => t`restored ${thing}`,
  sent: (thing) => t`sent ${thing}`,
  stopped: (thing) => t`stopped ${thing}`,
  email_tested: (thing) => t`sent a test email to ${thing}`,
  "announcement.tested": (thing) => t`sent a test of ${thing}`,
  tested: (thing) => t`sent a test to ${thing}`,
  replayed: (thing) => t`replayed events to ${thing}`,
  disabled: (thing) => t`turned off ${thing}`,
  answered: (thing) => t`answered ${thing}`,
  exported: (thing) => t`exported ${thing}`,
  erased: (thing) => t`erased ${thing}`,
  invited: (thing) => t`created an invitation link for ${thing}`,
  password_set: (thing) => t`set the password of ${thing}`,
  identity_linked: (thing) => t`linked a sign-in provider to ${thing}`,
  accepted: (thing) => t`accepted unverified mail: ${thing}`,
  mailed_again: (thing) => t`sent mail again: ${thing}`,
  sign_in_failed: (thing) => t`failed to sign in as ${thing}`,
};

function deed(action: string, thing: string): string {
  const verb = action.slice(action.indexOf(".") + 1);
  const known = deeds[action] ?? deeds[verb];
  return known ? known(thing) : `${verb.replaceAll("_", " ")} ${thing}`;
}

/** "Changed member" of member.updated. */
export function actionName(action: AuditLog["action"]): string {
  const name = deed(action, nouns[typeOf[action]].alone());
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}

type Fields = Record<string, unknown>;

function fieldsOf(thing: unknown): Fields {
  return thing !== null && typeof thing === "object" ? (thing as Fields) : {};
}

/** What the thing is called, or its number. `known` is what it is called now, for entries that do not say. */
function nameOf(e: AuditLog, known: string | undefined): string {
  const { name, title, key, url, email } = { ...fieldsOf(e.before), ...fieldsOf(e.after) };
  if (e.resource_type === "Request" && typeof key === "string" && typeof title === "string") return t`${key} “${title}”`;
  for (const called of [name, title, key, email, url, known]) if (typeof called === "string" && called !== "") return t`“${called}”`;
  return e.resource_id;
}

/** What was done to what, without who. */
export function deedOf(e: AuditLog, known?: string): string {
  return deed(e.action, nouns[e.resource_type].named(nameOf(e, known)));
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

const sources = (): Record<string, string> => ({
  api: "",
  web: "",
  chat: t`via chat`,
  import: t`via import`,
  email: t`via email`,
  tracker: t`via a ticket system`,
  page: t`via a public link`,
  command: t`on the server’s command line`,
  system: "",
});

/** Through what it was done, where that is not the usual way. */
export function wayOf(e: AuditLog): string {
  // Where it was no member, the actor is called after the way already.
  if (e.source === "command" && e.actor.id === null) return "";
  return sources()[e.source] ?? e.source;
}
