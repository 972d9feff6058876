import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Text } from "@mantine/core";
import { IconBolt, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type ShownWebhook, type Webhook, webhooksQuery } from "../../data/webhooks";
import { Empty, Failure, Loading } from "../../parts/states";
import { SettingsColumn } from "./Column";
import { MakeWebhook } from "./MakeWebhook";
import { Row, Rows } from "./Rows";
import classes from "./Settings.module.css";
import { WebhookSecret } from "./WebhookSecret";
import { WebhookState } from "./WebhookState";

/** The addresses that are told of what happens. */
export function Webhooks() {
  const webhooks = useQuery(webhooksQuery);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<ShownWebhook | null>(null);
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t`Add webhook`}
    </Button>
  );
  return (
    <SettingsColumn
      title={t`Events API subscription`}
      about={
        <Trans>
          Webhooks send events to your server: signed, in order and at least once. See the{" "}
          <Anchor href="/docs/" underline="always" inherit>
            API documentation
          </Anchor>{" "}
          for details.
        </Trans>
      }
      action={add}
    >
      {made && <WebhookSecret webhook={made} done={() => setMade(null)} open />}
      {webhooks.isPending && <Loading shape="rows" rows={3} />}
      {webhooks.isError && <Failure error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {webhooks.data?.length === 0 && (
        <Empty icon={IconBolt} title={t`No webhooks yet`} action={add}>
          {t`Add the URL of a server that should receive events.`}
        </Empty>
      )}
      {webhooks.data && webhooks.data.length > 0 && (
        <Rows label={t`Webhooks`}>
          {webhooks.data.map((w) => (
            <Row key={w.id} action={<WebhookState webhook={w} />}>
              <Link to="/settings/webhooks/$id" params={{ id: String(w.id) }} className={classes.link}>
                {w.url}
              </Link>
              <Text size="sm" c="dimmed">
                {eventsOf(w)}
              </Text>
            </Row>
          ))}
        </Rows>
      )}
      <MakeWebhook
        opened={making}
        close={() => setMaking(false)}
        made={(w) => {
          setMaking(false);
          setMade(w);
        }}
      />
    </SettingsColumn>
  );
}

function eventsOf(w: Webhook): string {
  if (w.event_types.length === 0) return t`All events`;
  return w.event_types.join(", ");
}
