import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { integrationsQuery } from "../../data/integrations";
import { useIsAdmin, useMayWrite, useMe } from "../../data/me";
import { collectionsQuery } from "../../data/collections";
import { sandboxQuery } from "../../data/sandbox";
import { Empty, Failure, Loading } from "../../parts/states";
import { Choose, NotHere, Unfurnished } from "./Choose";
import { Workspace } from "./Workspace";

const systems: Record<string, string> = { slack: "Slack", mattermost: "Mattermost" };

/** The built-in chat workspace, or what there is instead of it. */
export function Sandbox() {
  const sandbox = useQuery(sandboxQuery);
  const collections = useQuery(collectionsQuery);
  const me = useMe();
  const admin = useIsAdmin();
  const mayWrite = useMayWrite();
  const [asItIs, setAsItIs] = useState(false);
  const elsewhere = sandbox.isSuccess && !sandbox.data.connected && !sandbox.data.offered;
  const integrations = useQuery({ ...integrationsQuery, enabled: elsewhere && admin }); // others may not ask
  const chat = integrations.data?.find((i) => i.status === "connected" && i.kind in systems);
  if (sandbox.isError) return <Failure whole error={sandbox.error} retry={() => void sandbox.refetch()} />;
  if (collections.isError) return <Failure whole error={collections.error} retry={() => void collections.refetch()} />;
  if (!me || sandbox.isPending || collections.isPending || (elsewhere && admin && integrations.isPending)) return <Loading />;
  if (elsewhere) return <NotHere connectedTo={chat ? (systems[chat.kind] ?? null) : null} />;
  if (!sandbox.data.connected) return <Choose sandbox={sandbox.data} />;
  if (!mayWrite) return <Empty title={t`Viewers cannot use the sandbox`}>{t`Ask an admin for the agent role to act as someone there.`}</Empty>;
  const furnished = collections.data.some((p) => p.kind === "chat" && (p.channels?.length ?? 0) > 0);
  if (!furnished && !asItIs) return <Unfurnished sandbox={sandbox.data} goOn={() => setAsItIs(true)} />;
  return <Workspace sandbox={sandbox.data} />;
}
