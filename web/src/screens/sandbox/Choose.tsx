// The first step of a new desk: with which chat it works.
import { t } from "@lingui/core/macro";
import { Button, Container, Stack, Text, Title } from "@mantine/core";
import { IconBrandSlack, IconMessages } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { furnish } from "../../data/furnish";
import { useIsAdmin } from "../../data/me";
import { type Sandbox, makeSandbox, sandboxQuery } from "../../data/sandbox";
import { AppLink } from "../../parts/AppLink";
import { Empty, Refused } from "../../parts/states";
import classes from "./Workspace.module.css";

/** Makes a workspace, where there is none, and what is in it. */
function useSetUp(sandbox: Sandbox) {
  const client = useQueryClient();
  const [doing, setDoing] = useState("");
  const work = useMutation({
    mutationFn: async () => {
      setDoing(t`Creating a workspace`);
      const made = sandbox.connected ? sandbox : await makeSandbox();
      try {
        await furnish(made, setDoing);
      } finally {
        // Also when it was cut short: the workspace is there then, and the rest is offered again.
        await client.invalidateQueries({ queryKey: ["integrations"] });
        await client.invalidateQueries({ queryKey: sandboxQuery.queryKey });
      }
    },
  });
  return { start: () => work.mutate(), doing: work.isPending ? doing : null, error: work.error };
}

/** Try it, or connect what one has. */
export function Choose({ sandbox }: { sandbox: Sandbox }) {
  const admin = useIsAdmin();
  const set = useSetUp(sandbox);
  if (!admin)
    return (
      <Empty icon={IconMessages} title={t`No chat connected yet`}>
        <h1 className="visually-hidden">{t`Sandbox`}</h1>
        {t`An admin can connect Slack, or try Frontdesk with its built-in chat workspace.`}
      </Empty>
    );
  return (
    <Page title={t`Where do your customers write to you?`} error={set.error}>
      <Text c="dimmed">{t`Frontdesk turns chat messages into requests. Choose how to start. You can change this later in Settings.`}</Text>
      <div className={classes.doors}>
        <section className={classes.door}>
          <IconMessages size={28} stroke={1.4} aria-hidden />
          <Title order={2}>{t`Try the sandbox`}</Title>
          <Text>{t`A small chat workspace inside Frontdesk, with made-up customers. Write as one of them and watch the request come in. Nothing to install: it is ready in seconds.`}</Text>
          <Button size="sm" loading={set.doing !== null} onClick={set.start}>
            {t`Try the sandbox`}
          </Button>
        </section>
        <section className={classes.door}>
          <IconBrandSlack size={28} stroke={1.4} aria-hidden />
          <Title order={2}>{t`Connect Slack`}</Title>
          <Text>{t`Use your own workspace and the channels you share with customers. You need permission to add apps to it.`}</Text>
          <SettingsButton label={t`Connect Slack`} />
        </section>
      </div>
      <Doing doing={set.doing} />
    </Page>
  );
}

/** A workspace without the channels to try it in: made in Settings, or a set-up that was cut short. */
export function Unfurnished({ sandbox, goOn }: { sandbox: Sandbox; goOn: () => void }) {
  const admin = useIsAdmin();
  const set = useSetUp(sandbox);
  return (
    <Page title={t`The sandbox is connected but empty`} error={set.error}>
      <Text>{admin ? t`Create two customer channels and one for your team to try it out. Messages from customers become requests.` : t`An admin can create the customer channels.`}</Text>
      <div>
        {admin && (
          <Button size="sm" loading={set.doing !== null} onClick={set.start} mr="sm">
            {t`Create channels`}
          </Button>
        )}
        <Button size="sm" variant="default" disabled={set.doing !== null} onClick={goOn}>
          {t`Open without channels`}
        </Button>
      </div>
      <Doing doing={set.doing} />
    </Page>
  );
}

/** There is another chat, or this server has no sandbox. */
export function NotHere({ connectedTo }: { connectedTo: string | null }) {
  const navigate = useNavigate();
  const admin = useIsAdmin();
  return (
    <Empty
      icon={IconMessages}
      title={t`The sandbox is not in use`}
      action={
        connectedTo ? (
          <Button variant="default" onClick={() => void navigate({ to: "/requests" })}>
            {t`Go to inbox`}
          </Button>
        ) : admin ? (
          <SettingsButton label={t`Connect Slack`} />
        ) : undefined
      }
    >
      <h1 className="visually-hidden">{t`Sandbox`}</h1>
      {connectedTo
        ? t`Your account is connected to ${connectedTo}. The sandbox is for trying Frontdesk without a chat of your own.`
        : admin
          ? t`The sandbox is turned off on this server. Connect the chat your customers use.`
          : t`The sandbox is for trying Frontdesk without a chat of your own.`}
    </Empty>
  );
}

function SettingsButton({ label }: { label: string }) {
  return (
    <Button component={AppLink} href="/settings/chat" size="sm" variant="default">
      {label}
    </Button>
  );
}

function Page({ title, error, children }: { title: string; error: unknown; children: ReactNode }) {
  return (
    <Container size={720} py={48}>
      <Stack gap="lg">
        <Title order={1}>{title}</Title>
        <Refused error={error} />
        {children}
      </Stack>
    </Container>
  );
}

function Doing({ doing }: { doing: string | null }) {
  return (
    <Text role="status" c="dimmed" mih={22}>
      {doing && `${doing}…`}
    </Text>
  );
}
