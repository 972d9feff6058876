import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useIsAdmin } from "../data/me";
import { sandboxQuery } from "../data/sandbox";
import { AppLink } from "./AppLink";

/** The way to the chat for admins: the first steps until one is connected, then its settings. */
export function ConnectChat() {
  const admin = useIsAdmin();
  const offered = useQuery(sandboxQuery).data?.offered ?? false;
  if (!admin) return null;
  if (offered)
    return (
      <Button component={AppLink} href="/sandbox">
        {t`Connect a chat`}
      </Button>
    );
  return (
    <Button component={AppLink} href="/settings/chat" variant="default">
      {t`Go to chat settings`}
    </Button>
  );
}
