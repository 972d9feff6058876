import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Anchor, Button, Code, Group, List, Paper, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Problem, sentence } from "../../api/client";
import { type Integration, connect, connectSandbox, disconnect, integrationsQuery } from "../../data/integrations";
import { useMe } from "../../data/me";
import { sandboxQuery } from "../../data/sandbox";
import { Question } from "../../parts/Question";
import { Failure, Loading, Refused } from "../../parts/states";
import { tell } from "../../tell";
import { dateAndTime } from "../../parts/time";
import { Section, SettingsColumn } from "./Column";
import { Row, Rows } from "./Rows";
import { StatusWord } from "./StatusWord";
import { Word } from "./Word";

/** Where your customers talk to you, and how the desk gets in. */
export function Chat() {
  const client = useQueryClient();
  const [started, setStarted] = useState(false);
  // The approval happens on Slack's page, so poll for the new status.
  const integrations = useQuery({ ...integrationsQuery, refetchInterval: started ? 2000 : false });
  const sandbox = useQuery(sandboxQuery);
  const chat = integrations.data?.find((i) => i.kind === "slack" || i.kind === "mattermost");
  const arrived = started && chat?.status === "connected";
  useEffect(() => {
    if (!arrived) return;
    setStarted(false);
    tell(t`Chat connected.`);
    void client.invalidateQueries({ queryKey: sandboxQuery.queryKey });
  }, [arrived, client]);
  const standing = chat && chat.status !== "pending";
  return (
    <SettingsColumn title={t`Chat`} about={t`Requests come from your chat system. Replies go back to it.`}>
      {integrations.isPending && <Loading rows={4} />}
      {integrations.isError && <Failure error={integrations.error} retry={() => void integrations.refetch()} />}
      {standing && <Connected chat={chat} isSandbox={sandbox.data?.connected ?? false} />}
      {integrations.data && (!chat || chat.status !== "connected") && (
        <>
          {sandbox.data?.offered && <TrySandbox />}
          <ConnectSlack again={chat?.status === "lost"} started={() => setStarted(true)} />
        </>
      )}
    </SettingsColumn>
  );
}

function Connected({ chat, isSandbox }: { chat: Integration; isSandbox: boolean }) {
  const [asking, setAsking] = useState(false);
  const synced = chat.synced_at && dateAndTime(chat.synced_at);
  return (
    <>
      <Rows label={t`Connected`}>
        <Row
          action={
            <Button variant="default" onClick={() => setAsking(true)}>
              {t`Disconnect`}
            </Button>
          }
        >
          <Group gap="xs">
            <Text fw={550}>{chat.name ?? chat.external_id}</Text>
            <Word tone="plain">{isSandbox ? t`Sandbox` : "Slack"}</Word>
            <StatusWord status={chat.status} />
          </Group>
          <Text size="sm" c="dimmed">
            {chat.status === "lost"
              ? t`The workspace no longer accepts Frontdesk. Reconnect it below. No data was lost.`
              : synced
                ? t`People and channels last synced ${synced}.`
                : t`Syncing people and channels.`}
          </Text>
          {isSandbox ? (
            <Anchor component={Link} to="/sandbox" size="sm">
              {t`Open sandbox`}
            </Anchor>
          ) : (
            chat.url && (
              <Anchor href={chat.url} target="_blank" rel="noreferrer" size="sm" underline="always">
                {chat.url}
              </Anchor>
            )
          )}
        </Row>
      </Rows>
      <Question
        opened={asking}
        close={() => setAsking(false)}
        title={t`Disconnect chat?`}
        yes={t`Disconnect`}
        run={async () => {
          await disconnect(chat.id);
          tell(t`Chat disconnected.`);
        }}
      >
        {t`No new messages come in and replies are not sent until you connect a chat again. Existing requests and messages stay.`}
      </Question>
    </>
  );
}

function TrySandbox() {
  const make = useMutation({ mutationFn: connectSandbox, onSuccess: () => tell(t`Sandbox connected.`) });
  return (
    <Section title={t`Try the sandbox`} about={t`A small chat workspace inside this server, with made-up people. Nothing leaves this server.`}>
      <Refused error={make.error} />
      <Button w="fit-content" loading={make.isPending} onClick={() => make.mutate()}>
        {t`Connect sandbox`}
      </Button>
    </Section>
  );
}

function ConnectSlack({ again, started }: { again: boolean; started: () => void }) {
  const url = useMe()?.account.public_url;
  const start = useMutation({ mutationFn: () => connect({ kind: "slack" }), onSuccess: started });
  const noApp = start.error instanceof Problem && start.error.status === 406;
  const authorize = start.data?.authorize_url;
  return (
    <Section title={again ? t`Reconnect Slack` : t`Connect Slack`} about={t`Slack asks you to approve Frontdesk for your workspace. This page updates once you approve.`}>
      {authorize ? (
        <Group>
          <Button component="a" href={authorize} target="_blank" rel="noreferrer">
            {t`Continue in Slack`}
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {t`Waiting for approval. The link works for 15 minutes.`}
          </Text>
        </Group>
      ) : (
        <Button w="fit-content" variant={again ? "filled" : "default"} loading={start.isPending} onClick={() => start.mutate()}>
          {again ? t`Reconnect` : t`Connect Slack`}
        </Button>
      )}
      {start.isError && (
        <Alert color="red" variant="light" role="alert">
          {noApp ? t`This server has no Slack app yet. The server’s operator needs to create one, as described below.` : sentence(start.error)}
        </Alert>
      )}
      <Paper withBorder p="md">
        <Stack gap="xs">
          <Text fw={550}>{t`One-time setup by the server’s operator`}</Text>
          <Text size="sm" c="dimmed">
            {t`Frontdesk connects to Slack through your own app, so no third party sees your conversations.`}
          </Text>
          <List type="ordered" size="sm" spacing={6}>
            <List.Item>
              {url ? (
                <Trans>
                  Start the server with <Code>FRONTDESK_URL</Code> set to the https address that Slack can reach (currently {url}).
                </Trans>
              ) : (
                <Trans>
                  Start the server with <Code>FRONTDESK_URL</Code> set to the https address that Slack can reach.
                </Trans>
              )}
            </List.Item>
            <List.Item>
              <Trans comment="Create New App and From a manifest are buttons of Slack’s page, which is in English.">
                At{" "}
                <Anchor href="https://api.slack.com/apps" target="_blank" rel="noreferrer" size="sm" underline="always">
                  api.slack.com/apps
                </Anchor>
                , choose <i>Create New App</i>, then <i>From a manifest</i>, and paste the output of <Code>frontdesk slack manifest</Code>. After step 3, the manifest is also at{" "}
                <Anchor href="/integrations/slack/manifest" target="_blank" size="sm" underline="always">
                  /integrations/slack/manifest
                </Anchor>
                .
              </Trans>
            </List.Item>
            <List.Item>
              <Trans comment="Basic Information is a page of Slack, which is in English.">
                Set <Code>FRONTDESK_SLACK_CLIENT_ID</Code>, <Code>FRONTDESK_SLACK_CLIENT_SECRET</Code> and <Code>FRONTDESK_SLACK_SIGNING_SECRET</Code> from the app’s <i>Basic Information</i>, and
                restart the server.
              </Trans>
            </List.Item>
          </List>
        </Stack>
      </Paper>
    </Section>
  );
}
