// What a person does in the workspace, and the sentence when it is refused.
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { Slack } from "../../data/slack";
import { tellProblem } from "../../tell";

/** The workspace as the person one acts as. */
export const SlackContext = createContext<Slack | null>(null);

export function useActing(): Slack {
  const slack = useContext(SlackContext);
  if (!slack) throw new Error("useActing needs a SlackContext.");
  return slack;
}

/** Does something, tells why not, and shows what has become of it: the stream may be a moment late. */
export function useDo(): (what: (slack: Slack) => Promise<unknown>, ...again: string[]) => Promise<boolean> {
  const slack = useActing();
  const client = useQueryClient();
  return async (what, ...again) => {
    try {
      await what(slack);
      return true;
    } catch (e) {
      tellProblem(e);
      return false;
    } finally {
      await client.invalidateQueries({ queryKey: ["slack", slack.me, ...again] });
    }
  };
}

/** A picture of the workspace, wherever this page was opened from; nothing for what is no picture of ours or of the web. */
export function picture(address: string | undefined): string | undefined {
  if (!address || !URL.canParse(address)) return address?.startsWith("/") ? address : undefined;
  const url = new URL(address);
  if (url.pathname.startsWith("/sandbox/")) return url.pathname;
  return url.protocol === "https:" ? address : undefined;
}
