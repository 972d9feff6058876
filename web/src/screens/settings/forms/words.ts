// What a form can ask for, and what that is called.
import { t } from "@lingui/core/macro";
import type { CustomField } from "../../../data/customFields";
import type { FormField } from "../../../data/ticketForms";
import { types } from "../fields/words";

type Member = "title" | "description" | "priority" | "assignee" | "contributors" | "assigned_team" | "status";

/** What every request has. */
const members = (): Record<Member, { label: string; kind: string }> => ({
  title: { label: t`Title`, kind: t`A line of text` },
  description: { label: t`Description`, kind: t`Text, on every ticket` },
  priority: { label: t`Priority`, kind: t`Low to urgent` },
  assignee: { label: t`Assignee`, kind: t`A person` },
  contributors: { label: t`Contributors`, kind: t`People` },
  assigned_team: { label: t`Assigned team`, kind: t`A team` },
  status: { label: t`Status`, kind: t`A status` },
});

/** The keys of what every request has, in the order in which they are offered. */
export const memberKeys: Member[] = ["title", "description", "priority", "assignee", "contributors", "assigned_team", "status"];

export function isMember(key: string): key is Member {
  return memberKeys.some((member) => member === key);
}

export function ownField(key: string, fields: CustomField[]): CustomField | undefined {
  return fields.find((f) => String(f.id) === key);
}

/** What a field is called where the form does not say. */
export function nameOf(key: string, fields: CustomField[]): string {
  return isMember(key) ? members()[key].label : (ownField(key, fields)?.name ?? t`Deleted field`);
}

/** What is to be filled in there. */
export function kindOf(key: string, fields: CustomField[]): string {
  if (isMember(key)) return members()[key].kind;
  const own = ownField(key, fields);
  if (!own) return "";
  const type = types()[own.type].label;
  return t`Custom field: ${type}`;
}

/** A field as it is when it is added. */
export function newField(key: string, fields: CustomField[]): FormField {
  return { key, label: nameOf(key, fields), audience: "all", is_hidden: false, required_by_responder: false, required_by_non_responder: false };
}

export type Audience = "requesters" | "responders";

/** Whether somebody is shown a field. */
export function isShownTo(audience: Audience, f: FormField): boolean {
  return !f.is_hidden && (audience === "responders" || f.audience === "all");
}

/** Whether they must fill it in. Every ticket has a description. */
export function isRequiredOf(audience: Audience, f: FormField): boolean {
  return f.key === "description" || (audience === "responders" ? f.required_by_responder : f.required_by_non_responder);
}

export const systems: Record<string, string> = { native: "Frontdesk", zendesk: "Zendesk", freshdesk: "Freshdesk", intercom: "Intercom", jira: "Jira", hubspot: "HubSpot", salesforce: "Salesforce" };
