import { Badge } from "@mantine/core";
import type { Webhook } from "../../data/webhooks";

/** How it goes with a webhook, in a word. */
export function WebhookState({ webhook: w }: { webhook: Webhook }) {
  const [word, colour] = !w.enabled ? (w.disabled_at ? ["Switched off", "red"] : ["Off", "gray"]) : w.failing_since ? ["Failing", "yellow"] : ["On", "green"];
  return (
    <Badge variant="light" color={colour} tt="none" fw={500}>
      {word}
    </Badge>
  );
}
