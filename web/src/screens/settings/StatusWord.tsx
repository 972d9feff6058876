import { t } from "@lingui/core/macro";
import type { Integration } from "../../data/integrations";
import { Word } from "./Word";

const looks = () =>
  ({
    connected: { word: t`Connected`, tone: "good" },
    pending: { word: t`Waiting for approval`, tone: "warn" },
    lost: { word: t`Connection lost`, tone: "bad" },
  }) as const;

/** Whether a system outside still lets us in. */
export function StatusWord({ status }: { status: Integration["status"] }) {
  const { word, tone } = looks()[status];
  return <Word tone={tone}>{word}</Word>;
}
