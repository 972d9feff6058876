import type { Webhook } from "../../data/webhooks";
import { Word } from "./Word";

/** How it goes with a webhook, in a word. */
export function WebhookState({ webhook: w }: { webhook: Webhook }) {
  if (!w.enabled) return w.disabled_at ? <Word tone="bad">Turned off</Word> : <Word tone="plain">Off</Word>;
  return w.failing_since ? <Word tone="warn">Failing</Word> : <Word tone="good">On</Word>;
}
