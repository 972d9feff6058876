import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { changeAccount } from "../../../data/account";
import { type CollectionChange, type Collection as CollectionNoun, changeCollection, collectionQuery, muteQuery, removeCollection, setMuted } from "../../../data/collections";
import { useMe } from "../../../data/me";
import { Question } from "../../../parts/Question";
import { SavedSwitch, SavedText } from "../../../parts/Saved";
import { SavedField } from "../../../parts/SavedField";
import { PersonSelect } from "../../../parts/person";
import { Failure, Loading } from "../../../parts/states";
import { tell } from "../../../parts/tell";
import { Section, SettingsColumn } from "../Column";
import { Up } from "../Up";
import { collectionRoute } from "../routes";
import { Channels } from "./Channels";
import { CollectionFacts } from "./CollectionFacts";
import { Emoji } from "./Emoji";
import { PlaceSelect } from "./PlaceSelect";
import { Responders } from "./Responders";
import { Surveys } from "./Surveys";
import { Ways } from "./Ways";
import { kinds } from "./words";

/** One collection: where its requests come from, who answers them, and how. */
export function Collection() {
  const id = Number(collectionRoute.useParams().id);
  const me = useMe();
  const collection = useQuery(collectionQuery(id));
  if (collection.isError) return <Failure error={collection.error} retry={() => void collection.refetch()} />;
  if (!collection.data || !me) return <Loading />;
  const isAdmin = me.member.role === "admin";
  return (
    <SettingsColumn
      title={collection.data.name}
      back={<Up page="collections" label="Collections" />}
      about={kinds[collection.data.kind].about}
      action={
        collection.data.id === me.account.api_collection_id && (
          <Text size="sm" c="dimmed">
            Default for the API
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
    <Section title="For you">
      <SavedSwitch label="Mute" description="You are not told of its new requests. Others do not see this." value={muted.data} save={(muted) => setMuted(id, muted)} />
    </Section>
  );
}

function Settings({ collection }: { collection: CollectionNoun }) {
  const save = (change: CollectionChange) => changeCollection(collection.id, change);
  return (
    <>
      <Section title="Name and owner">
        <SavedText label="Name" field="name" maxLength={200} value={collection.name} save={(name) => save({ name })} />
        <SavedField field="owner" value={collection.owner} save={(owner) => save({ owner })}>
          {({ value, set, error }) => <PersonSelect label="Owner" description="Whom to ask about this collection." value={value} onChange={set} error={error} />}
        </SavedField>
      </Section>
      <Section title="Channels" about={collection.kind === "chat" ? "What is written in an active channel is a request." : undefined}>
        {collection.kind === "chat" ? (
          <Channels collection={collection} />
        ) : (
          <PlaceSelect label="Request channel" description="Where its requests are posted. It serves nothing else." field="request_channel_id" value={collection.request_channel_id} save={(request_channel_id) => save({ request_channel_id })} />
        )}
        <PlaceSelect label="Triage channel" description="Where responders talk about requests among themselves. Several collections may share one." field="triage_channel_id" value={collection.triage_channel_id} save={(triage_channel_id) => save({ triage_channel_id })} />
      </Section>
      <Responders collection={collection} />
      <Ways collection={collection} />
      <Surveys collection={collection} />
      <Emoji collection={collection} />
      <End collection={collection} />
    </>
  );
}

function End({ collection }: { collection: CollectionNoun }) {
  const navigate = useNavigate();
  const isDefault = useMe()?.account.api_collection_id === collection.id;
  const [asking, setAsking] = useState<"remove" | "default" | null>(null);
  return (
    <Section title={collection.kind === "api" && !isDefault ? "Default and end" : "End"}>
      <Group>
        {collection.kind === "api" && !isDefault && (
          <Button variant="default" onClick={() => setAsking("default")}>
            Make it the default for the API
          </Button>
        )}
        <Button variant="default" color="red" c="var(--bad)" onClick={() => setAsking("remove")}>
          Delete the collection
        </Button>
      </Group>
      <Question
        opened={asking === "default"}
        close={() => setAsking(null)}
        title="Make it the default?"
        yes="Make it the default"
        dangerous={false}
        run={async () => {
          await changeAccount({ api_collection_id: collection.id });
          tell("Requests that programs make come here now.");
        }}
      >
        Requests that programs and ticket forms make without naming a collection come here from now on.
      </Question>
      <Question
        opened={asking === "remove"}
        close={() => setAsking(null)}
        title={`Delete ${collection.name}?`}
        yes="Delete the collection"
        run={async () => {
          await removeCollection(collection.id);
          tell(`${collection.name} is deleted.`);
          await navigate({ to: "/settings/$page", params: { page: "collections" } });
        }}
      >
        Its channels become inactive: what is written there is no request any more. Its customers are in no collection then, and people who see only this collection see it no more.
        {isDefault && <Text mt="xs">Requests that programs make go to the oldest API collection that is left.</Text>} That cannot be undone.
      </Question>
    </Section>
  );
}
