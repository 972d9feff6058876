// The ticket systems there are, and what each wants to know.
import { t } from "@lingui/core/macro";

export type TrackerKind = "zendesk" | "linear";

type Wanted = { name: "domain" | "email" | "token"; label: string; description?: string; placeholder?: string; secret?: boolean };

type Tracker = { kind: TrackerKind; name: string; fields: Wanted[] };

export const trackers = (): Tracker[] => [
  {
    kind: "zendesk",
    name: "Zendesk",
    fields: [
      { name: "domain", label: t`Domain`, description: t`The acme part of acme.zendesk.com`, placeholder: "acme" },
      { name: "email", label: t`Email`, description: t`The email address of the token’s owner.` },
      { name: "token", label: t`API token`, description: t`Create it in Zendesk under Admin Center > Apps and integrations > Zendesk API.`, secret: true },
    ],
  },
  {
    kind: "linear",
    name: "Linear",
    fields: [{ name: "token", label: t`API key`, description: t`Create it in Linear under Settings > Security & access > Personal API keys.`, placeholder: "lin_api_…", secret: true }],
  },
];

export const trackerOf = (kind: TrackerKind): Tracker => trackers().find((tracker) => tracker.kind === kind)!;
