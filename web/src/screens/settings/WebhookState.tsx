import { t } from "@lingui/core/macro";
import type { Webhook } from "../../data/webhooks";
import { Word } from "./Word";

/** How it goes with a webhook, in a word. */
export function WebhookState({ webhook: w }: { webhook: Webhook }) {
  if (!w.enabled) return w.disabled_at ? <Word tone="bad">{t`Turned off`}</Word> : <Word tone="plain">{t`Off`}</Word>;
  return w.failing_since ? <Word tone="warn">{t`Failing`}</Word> : <Word tone="good">{t`On`}</Word>;
}
