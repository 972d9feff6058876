import { t } from "@lingui/core/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Integration, disconnect, integrationsQuery } from "../../data/integrations";
import { Question } from "../../parts/Question";
import { Failure, Loading } from "../../parts/states";
import { tell } from "../../tell";
import { Section, SettingsColumn } from "./Column";
import { Row, Rows } from "./Rows";
import { StatusWord } from "./StatusWord";
import { TrackerForm } from "./TrackerForm";
import { TrackerRules } from "./TrackerRules";
import { type TrackerKind, trackerOf, trackers } from "./trackers";

/** The ticket systems that requests can be linked to. */
export function Integrations() {
  const integrations = useQuery(integrationsQuery);
  return (
    <SettingsColumn title={t`Ticket systems`} about={t`Link requests to tickets in other systems. Once connected, messages and statuses are synced both ways.`}>
      {integrations.isPending && <Loading shape="rows" rows={4} />}
      {integrations.isError && <Failure error={integrations.error} retry={() => void integrations.refetch()} />}
      {integrations.data && trackers().map(({ kind }) => <Tracker key={kind} kind={kind} integration={integrations.data.find((i) => i.kind === kind)} />)}
    </SettingsColumn>
  );
}

function Tracker({ kind, integration }: { kind: TrackerKind; integration: Integration | undefined }) {
  const { name } = trackerOf(kind);
  const [form, setForm] = useState(false);
  const [asking, setAsking] = useState(false);
  return (
    <Section title={name}>
      <Stack gap={0}>
        <Rows label={name}>
          <Row
            action={
              integration ? (
                <>
                  <Button variant="default" onClick={() => setForm(true)} aria-label={t`Change credentials for ${name}`}>
                    {integration.status === "lost" ? t`Reconnect` : t`Change credentials`}
                  </Button>
                  <Button variant="default" onClick={() => setAsking(true)} aria-label={t`Disconnect ${name}`}>
                    {t`Disconnect`}
                  </Button>
                </>
              ) : (
                <Button onClick={() => setForm(true)} aria-label={t`Connect ${name}`}>
                  {t`Connect`}
                </Button>
              )
            }
          >
            {integration ? (
              <>
                <Group gap="xs">
                  <Text fw={550}>{integration.name ?? integration.external_id ?? name}</Text>
                  <StatusWord status={integration.status} />
                </Group>
                <Text size="sm" c="dimmed">
                  {integration.status === "lost" ? t`${name} no longer accepts the credentials. Enter new ones, and pending updates will be synced.` : integration.url}
                </Text>
              </>
            ) : (
              <Text c="dimmed">{t`Not connected.`}</Text>
            )}
          </Row>
        </Rows>
        {integration?.settings && <TrackerRules integration={integration} settings={integration.settings} name={name} />}
      </Stack>
      <TrackerForm kind={kind} integration={integration} opened={form} close={() => setForm(false)} />
      {integration && (
        <Question
          opened={asking}
          close={() => setAsking(false)}
          title={t`Disconnect ${name}?`}
          yes={t`Disconnect`}
          run={async () => {
            await disconnect(integration.id);
            tell(t`${name} disconnected.`);
          }}
        >
          {t`Links to its tickets stay, but nothing is synced anymore. Frontdesk deletes the credentials.`}
        </Question>
      )}
    </Section>
  );
}
