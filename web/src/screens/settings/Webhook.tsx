import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { flushSync } from "react-dom";
import { useMe } from "../../data/me";
import { type ShownWebhook, type Webhook as WebhookNoun, type WebhookEventType, changeWebhook, removeWebhook, rotateWebhook, webhookQuery } from "../../data/webhooks";
import { Question } from "../../parts/Question";
import { SavedMark, SavedText, useSaving } from "../../parts/Saved";
import { Failure, Loading } from "../../parts/states";
import { tell } from "../../parts/tell";
import { Section, SettingsColumn } from "./Column";
import { Deliveries } from "./Deliveries";
import { EventTypes } from "./EventTypes";
import { ForAdmins } from "./Page";
import { webhookRoute } from "./routes";
import classes from "./Settings.module.css";
import { WebhookSecret } from "./WebhookSecret";
import { WebhookState } from "./WebhookState";
import { WebhookTrouble } from "./WebhookTrouble";

/** One webhook: where it is, what it is told, and how the telling went. */
export function Webhook() {
  const id = Number(webhookRoute.useParams().id);
  const me = useMe();
  const webhook = useQuery({ ...webhookQuery(id), enabled: me?.member.role === "admin" });
  if (me && me.member.role !== "admin") return <ForAdmins />;
  if (webhook.isError) return <Failure error={webhook.error} retry={() => void webhook.refetch()} />;
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
          <IconChevronLeft size={16} aria-hidden /> Events API subscription
        </Anchor>
      }
      action={<WebhookState webhook={webhook} />}
    >
      {shown && <WebhookSecret webhook={shown} done={() => setShown(null)} />}
      <WebhookTrouble webhook={webhook} />
      <Section title="Deliveries" about="What was told, and what is to be. It is kept for 30 days.">
        {!going && <Deliveries webhook={webhook} />}
      </Section>
      <Section title="What and where">
        <SavedText label="Address" field="url" maxLength={2048} value={webhook.url} save={(url) => changeWebhook(webhook.id, { url })} />
        <Types webhook={webhook} />
      </Section>
      <Section title="Secret and removal">
        <Stack gap="xs">
          <Group>
            {webhook.enabled && (
              <Button variant="default" onClick={() => setAsking("off")}>
                Switch off
              </Button>
            )}
            <Button variant="default" onClick={() => setAsking("rotate")}>
              Make a new secret
            </Button>
            <Button variant="default" color="red" c="var(--bad)" onClick={() => setAsking("remove")}>
              Remove
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            Switched off, it misses nothing: what happens meanwhile can be told when it is on again.
          </Text>
        </Stack>
      </Section>
      <Question opened={asking === "off"} close={() => setAsking(null)} title="Switch this webhook off?" yes="Switch off" dangerous={false} run={() => changeWebhook(webhook.id, { enabled: false })}>
        It is told of nothing until you switch it on again. Then you choose whether it hears what it missed.
      </Question>
      <Question
        opened={asking === "rotate"}
        close={() => setAsking(null)}
        title="Make a new secret?"
        yes="Make a new secret"
        dangerous={false}
        run={async () => setShown(await rotateWebhook(webhook.id))}
      >
        For a day everything is signed with both, so that your server can change over without losing anything.
      </Question>
      <Question
        opened={asking === "remove"}
        close={() => setAsking(null)}
        title="Remove this webhook?"
        yes="Remove"
        run={async () => {
          flushSync(() => setGoing(true));
          try {
            await removeWebhook(webhook.id);
          } catch (e) {
            setGoing(false);
            throw e;
          }
          tell("The webhook is removed.");
          await navigate({ to: "/settings/$page", params: { page: "webhooks" } });
        }}
      >
        It is told of nothing more, also not of what waits, and its log is gone. That cannot be undone.
      </Question>
    </SettingsColumn>
  );
}

/** Saved as you go; only that nothing is chosen is not saved, since that would mean everything. */
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
          Choose at least one. Until then it is told what it was told before.
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
