import { t } from "@lingui/core/macro";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Webhook, type WholeDelivery, deliveryQuery, replayWebhook } from "../../data/webhooks";
import { Failure, Loading } from "../../parts/states";
import { tell, tellProblem } from "../../tell";
import { fullTime } from "../../parts/time";
import classes from "./Deliveries.module.css";

/** What was sent, and what came back at each try. `version` changes when the list knows more. */
export function DeliveryDetail({ webhook, id, version }: { webhook: Webhook; id: number; version: string }) {
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(webhook.id, id));
  useEffect(() => void refetch(), [version, refetch]);
  const replay = useMutation({
    mutationFn: (event_id: string) => replayWebhook(webhook.id, { event_id }),
    onSuccess: () => tell(t`Event sent again.`),
    onError: (e) => tellProblem(e),
  });
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!delivery) return <Loading rows={3} />;
  return (
    <Stack className={classes.detail} gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {`webhook-id ${delivery.event_id}`}
        </Text>
        {delivery.cause !== "test" && (
          <Button variant="default" loading={replay.isPending} disabled={!webhook.enabled} onClick={() => replay.mutate(delivery.event_id)}>
            {t`Replay`}
          </Button>
        )}
      </Group>
      <div>
        <Title order={3}>{t`Body`}</Title>
        <Block label={t`Body`}>{JSON.stringify(delivery.payload, null, 2)}</Block>
      </div>
      {delivery.attempts.length === 0 && <Text c="dimmed">{t`Not attempted yet.`}</Text>}
      {delivery.attempts.toReversed().map((a, i) => (
        <Attempt key={a.at} attempt={a} number={delivery.tries - i} />
      ))}
    </Stack>
  );
}

function Attempt({ attempt: a, number }: { attempt: WholeDelivery["attempts"][number]; number: number }) {
  const time = fullTime(a.at);
  const took = Math.round(a.took_ms);
  return (
    <div>
      <Title order={3}>{t`Attempt ${number}, ${time}`}</Title>
      <Text size="sm" mt={4}>
        {t({ message: "Request", context: "HTTP" })}
      </Text>
      <Block label={t`Request of attempt ${number}`}>{`POST ${a.request.url}\n${headers(a.request.headers)}`}</Block>
      <Text size="sm" mt={8}>
        {a.answer ? t`Response after ${took} ms` : t`No response after ${took} ms`}
      </Text>
      {a.error && (
        <Text size="sm" c="var(--bad)">
          {a.error}
        </Text>
      )}
      {a.answer && <Block label={t`Response of attempt ${number}`}>{`${a.answer.status}\n${headers(a.answer.headers)}\n\n${a.answer.body}${a.answer.truncated ? "…" : ""}`.trim()}</Block>}
    </div>
  );
}

function headers(of: Record<string, string>): string {
  return Object.entries(of)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** It may be long, and is scrolled with the keys, too. */
function Block({ label, children }: { label: string; children: string }) {
  return (
    <pre className={classes.block} tabIndex={0} role="region" aria-label={label}>
      {children}
    </pre>
  );
}
