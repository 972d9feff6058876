import type { Integration } from "../../data/integrations";
import { Word } from "./Word";

const looks = {
  connected: { word: "Connected", tone: "good" },
  pending: { word: "Waiting for approval", tone: "warn" },
  lost: { word: "Connection lost", tone: "bad" },
} as const;

/** Whether a system outside still lets us in. */
export function StatusWord({ status }: { status: Integration["status"] }) {
  return <Word tone={looks[status].tone}>{looks[status].word}</Word>;
}
