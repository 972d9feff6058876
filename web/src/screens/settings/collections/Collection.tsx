import { t } from "@lingui/core/macro";
import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { changeAccount } from "../../../data/account";
import { type CollectionChange, type Collection as CollectionNoun, changeCollection, collectionQuery, muteQuery, removeCollection, setMuted } from "../../../data/collections";
import { useMe } from "../../../data/me";
import { Question } from "../../../parts/Question";
import { SavedSwitch, SavedText } from "../../../parts/Saved";
import { SavedField } from "../../../parts/SavedField";
import { PersonSelect } from "../../../parts/person";
import { Failure, Loading } from "../../../parts/states";
import { tell } from "../../../tell";
import { Section, SettingsColumn } from "../Column";
import { Up } from "../Up";
import { Channels } from "./Channels";
import { CollectionFacts } from "./CollectionFacts";
import { Emoji } from "./Emoji";
import { Mail } from "./Mail";
import { PlaceSelect } from "./PlaceSelect";
import { Responders } from "./Responders";
import { Retention } from "./Retention";
import { Surveys } from "./Surveys";
import { Ways } from "./Ways";
import { defaultFor, kinds } from "./words";

const route = getRouteApi("/frame/settings/collections/$id");

/** One collection: where its requests come from, who answers them, and how. */
export function Collection() {
  const id = Number(route.useParams().id);
  const me = useMe();
  const collection = useQuery(collectionQuery(id));
  if (collection.isError) return <Failure whole error={collection.error} retry={() => void collection.refetch()} />;
  if (!collection.data || !me) return <Loading />;
  const isAdmin = me.member.role === "admin";
  return (
    <SettingsColumn
      title={collection.data.name}
      back={<Up page="collections" label={t`Collections`} />}
      about={kinds()[collection.data.kind].about}
      action={
        defaultFor(me.account, collection.data.id) && (
          <Text size="sm" c="dimmed">
            {defaultFor(me.account, collection.data.id)}
          </Text>
        )
      }
    >
      <ForYou id={id} />
      {isAdmin ? <Settings key={id} collection={collection.data} /> : <CollectionFacts collection={collection.data} />}
    </SettingsColumn>
  );
}

/** What each decides for themselves, whatever their role. */
function ForYou({ id }: { id: number }) {
  const muted = useQuery(muteQuery(id));
  if (muted.data === undefined) return null;
  return (
    <Section title={t`For you`}>
      <SavedSwitch label={t`Mute`} description={t`You are not notified of its new requests. Only you see this setting.`} value={muted.data} save={(muted) => setMuted(id, muted)} />
    </Section>
  );
}

function Settings({ collection }: { collection: CollectionNoun }) {
  const save = (change: CollectionChange) => changeCollection(collection.id, change);
  return (
    <>
      <Section title={t`Name and owner`}>
        <SavedText label={t`Name`} field="name" maxLength={200} value={collection.name} save={(name) => save({ name })} />
        <SavedField field="owner" value={collection.owner} save={(owner) => save({ owner })}>
          {({ value, set, error }) => <PersonSelect label={t`Owner`} description={t`The person to ask about this collection.`} value={value} onChange={set} error={error} />}
        </SavedField>
      </Section>
      {collection.kind === "email" && <Mail collection={collection} />}
      <Section title={t`Channels`} about={collection.kind === "chat" ? t`Messages in an active channel become requests.` : undefined}>
        {collection.kind === "chat" ? (
          <Channels collection={collection} />
        ) : (
          <PlaceSelect
            label={t`Request channel`}
            description={t`Where its requests are posted. The channel is used for nothing else.`}
            field="request_channel_id"
            value={collection.request_channel_id}
            save={(request_channel_id) => save({ request_channel_id })}
          />
        )}
        <PlaceSelect
          label={t`Triage channel`}
          description={t`Where responders discuss requests. Collections can share one.`}
          field="triage_channel_id"
          value={collection.triage_channel_id}
          save={(triage_channel_id) => save({ triage_channel_id })}
        />
      </Section>
      <Responders collection={collection} />
      <Ways collection={collection} />
      <Surveys collection={collection} />
      <Emoji collection={collection} />
      <Retention collection={collection} />
      <End collection={collection} />
    </>
  );
}

function End({ collection }: { collection: CollectionNoun }) {
  const navigate = useNavigate();
  const isDefault = useMe()?.account.api_collection_id === collection.id;
  const { name } = collection;
  const [asking, setAsking] = useState<"remove" | "default" | null>(null);
  return (
    <Section title={collection.kind === "api" && !isDefault ? t`Manage` : t`Delete`}>
      <Group>
        {collection.kind === "api" && !isDefault && (
          <Button variant="default" onClick={() => setAsking("default")}>
            {t`Make default for the API`}
          </Button>
        )}
        <Button variant="default" color="red" c="var(--bad)" onClick={() => setAsking("remove")}>
          {t`Delete collection`}
        </Button>
      </Group>
      <Question
        opened={asking === "default"}
        close={() => setAsking(null)}
        title={t`Make this the default?`}
        yes={t`Make default`}
        dangerous={false}
        run={async () => {
          await changeAccount({ api_collection_id: collection.id });
          tell(t`Requests created through the API now go here.`);
        }}
      >
        {t`Requests from the API and ticket forms that do not name a collection will go here.`}
      </Question>
      <Question
        opened={asking === "remove"}
        close={() => setAsking(null)}
        title={t`Delete ${name}?`}
        yes={t`Delete collection`}
        run={async () => {
          await removeCollection(collection.id);
          tell(t`${name} deleted.`);
          await navigate({ to: "/settings/$page", params: { page: "collections" } });
        }}
      >
        {t`Its channels become inactive, so new messages there no longer become requests. Its customers are left without a collection, and people limited to this collection lose access to it.`}
        {isDefault && <Text mt="xs">{t`Requests from the API go to the oldest remaining API collection.`}</Text>} {t`This cannot be undone.`}
      </Question>
    </Section>
  );
}
