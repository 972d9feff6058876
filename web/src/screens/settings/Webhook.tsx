import { t } from "@lingui/core/macro";
import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { flushSync } from "react-dom";
import { useMe } from "../../data/me";
import { type ShownWebhook, type Webhook as WebhookNoun, type WebhookEventType, changeWebhook, removeWebhook, rotateWebhook, webhookQuery } from "../../data/webhooks";
import { Question } from "../../parts/Question";
import { SavedMark, SavedText, useSaving } from "../../parts/Saved";
import { Failure, Loading } from "../../parts/states";
import { tell } from "../../tell";
import { Section, SettingsColumn } from "./Column";
import { Deliveries } from "./Deliveries";
import { EventTypes } from "./EventTypes";
import { ForAdmins } from "./ForAdmins";
import classes from "./Settings.module.css";
import { WebhookSecret } from "./WebhookSecret";
import { WebhookState } from "./WebhookState";
import { WebhookTrouble } from "./WebhookTrouble";

const route = getRouteApi("/frame/settings/webhooks/$id");

/** One webhook: its URL, its events and its deliveries. */
export function Webhook() {
  const id = Number(route.useParams().id);
  const me = useMe();
  const webhook = useQuery({ ...webhookQuery(id), enabled: me?.member.role === "admin" });
  if (me && me.member.role !== "admin") return <ForAdmins />;
  if (webhook.isError) return <Failure whole error={webhook.error} retry={() => void webhook.refetch()} />;
  if (!webhook.data) return <Loading />;
  return <Opened key={id} webhook={webhook.data} />;
}

function Opened({ webhook }: { webhook: WebhookNoun }) {
  const navigate = useNavigate();
  const [shown, setShown] = useState<ShownWebhook | null>(null);
  const [asking, setAsking] = useState<"rotate" | "remove" | "off" | null>(null);
  const [going, setGoing] = useState(false); // its log is asked for no more
  return (
    <SettingsColumn
      title={new URL(webhook.url).host}
      back={
        <Anchor component={Link} to="/settings/webhooks" size="sm" c="dimmed" className={classes.up}>
          <IconChevronLeft size={16} aria-hidden /> {t`Events API subscription`}
        </Anchor>
      }
      action={<WebhookState webhook={webhook} />}
    >
      {shown && <WebhookSecret webhook={shown} done={() => setShown(null)} />}
      <WebhookTrouble webhook={webhook} />
      <Section title={t`Deliveries`} about={t`Sent and pending events. Kept for 30 days.`}>
        {!going && <Deliveries webhook={webhook} />}
      </Section>
      <Section title={t`URL and events`}>
        <SavedText label={t`URL`} field="url" maxLength={2048} value={webhook.url} save={(url) => changeWebhook(webhook.id, { url })} />
        <Types webhook={webhook} />
      </Section>
      <Section title={t`Manage`}>
        <Stack gap="xs">
          <Group>
            {webhook.enabled && (
              <Button variant="default" onClick={() => setAsking("off")}>
                {t`Turn off`}
              </Button>
            )}
            <Button variant="default" onClick={() => setAsking("rotate")}>
              {t`Create new secret`}
            </Button>
            <Button variant="default" color="red" c="var(--bad)" onClick={() => setAsking("remove")}>
              {t`Delete`}
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            {t`While it is off, events are not lost. You can have them sent when you turn it on again.`}
          </Text>
        </Stack>
      </Section>
      <Question opened={asking === "off"} close={() => setAsking(null)} title={t`Turn off this webhook?`} yes={t`Turn off`} dangerous={false} run={() => changeWebhook(webhook.id, { enabled: false })}>
        {t`It receives no events until you turn it on again. You can then choose whether to send what it missed.`}
      </Question>
      <Question
        opened={asking === "rotate"}
        close={() => setAsking(null)}
        title={t`Create a new secret?`}
        yes={t`Create new secret`}
        dangerous={false}
        run={async () => setShown(await rotateWebhook(webhook.id))}
      >
        {t`For one day, events are signed with both secrets, so your server can switch without losing any.`}
      </Question>
      <Question
        opened={asking === "remove"}
        close={() => setAsking(null)}
        title={t`Delete this webhook?`}
        yes={t`Delete`}
        run={async () => {
          flushSync(() => setGoing(true));
          try {
            await removeWebhook(webhook.id);
          } catch (e) {
            setGoing(false);
            throw e;
          }
          tell(t`Webhook deleted.`);
          await navigate({ to: "/settings/$page", params: { page: "webhooks" } });
        }}
      >
        {t`It receives no more events, including pending ones, and its log is deleted. This cannot be undone.`}
      </Question>
    </SettingsColumn>
  );
}

/** Saved as you go. An empty selection is not saved, because the API takes it as all events. */
function Types({ webhook }: { webhook: WebhookNoun }) {
  const saving = useSaving("event_types");
  const [some, setSome] = useState(webhook.event_types.length > 0);
  const [chosen, setChosen] = useState<WebhookEventType[]>(webhook.event_types);
  const save = (event_types: WebhookEventType[]) => void saving.run(() => changeWebhook(webhook.id, { event_types }));
  return (
    <div className={classes.marked}>
      <EventTypes
        value={chosen}
        onChange={(types) => {
          setChosen(types);
          if (types.length > 0) save(types);
        }}
        some={some}
        setSome={(some) => {
          setSome(some);
          if (!some) save([]);
          else if (chosen.length > 0) save(chosen);
        }}
      />
      {some && chosen.length === 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {t`Choose at least one event. Until then, nothing changes.`}
        </Text>
      )}
      {saving.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          {saving.error}
        </Text>
      )}
      <SavedMark state={saving.state} />
    </div>
  );
}
