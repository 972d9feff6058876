// The ticket systems there are, and what each wants to know.

export type TrackerKind = "zendesk" | "linear";

type Wanted = { name: "domain" | "email" | "token"; label: string; description?: string; placeholder?: string; secret?: boolean };

export const trackers: { kind: TrackerKind; name: string; fields: Wanted[] }[] = [
  {
    kind: "zendesk",
    name: "Zendesk",
    fields: [
      { name: "domain", label: "Domain", description: "The acme part of acme.zendesk.com", placeholder: "acme" },
      { name: "email", label: "Email", description: "The email address of the token’s owner." },
      { name: "token", label: "API token", description: "Create it in Zendesk under Admin Center > Apps and integrations > Zendesk API.", secret: true },
    ],
  },
  {
    kind: "linear",
    name: "Linear",
    fields: [{ name: "token", label: "API key", description: "Create it in Linear under Settings > Security & access > Personal API keys.", placeholder: "lin_api_…", secret: true }],
  },
];
