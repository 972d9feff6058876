import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useChannel } from "../../../data/channels";
import type { Collection } from "../../../data/collections";
import { useTeam } from "../../../data/people";
import { schedulesQuery } from "../../../data/schedules";
import { Person } from "../../../parts/person";
import { Facts } from "../Facts";
import { ResponderName } from "./Responders";
import { type EmojiRule, autoAssign, emojiRules, kinds, notify, surveyTypes, triggers } from "./words";

/** How a collection is set, for those who cannot change it. */
export function CollectionFacts({ collection }: { collection: Collection }) {
  const { config, csat_config: csat } = collection;
  const team = useTeam(config.assign_team_id);
  const schedule = useQuery(schedulesQuery).data?.find((s) => s.id === config.schedule_id);
  const active = collection.channels?.filter((c) => c.status === "active") ?? [];
  return (
    <Facts
      of={[
        ["Requests come from", kinds[collection.kind].label],
        ...(collection.kind === "email" ? [["Address", collection.email_config?.address ?? "None yet"] as [string, string]] : []),
        ["Owner", <Person key="owner" id={collection.owner} />],
        collection.kind === "chat" ? ["Channels", active.map((c) => `#${c.name}`).join(", ") || "None"] : ["Request channel", <ChannelName key="request" id={collection.request_channel_id} />],
        ["Triage channel", <ChannelName key="triage" id={collection.triage_channel_id} />],
        [
          "Responders",
          <Stack key="responders" gap={4}>
            {config.responders.map((r) => (
              <ResponderName key={JSON.stringify(r)} responder={r} />
            ))}
            {config.responders.length === 0 && "None yet"}
          </Stack>,
        ],
        ["Assign new requests to", config.auto_assign === "round_robin" ? `${autoAssign.round_robin}, among ${team ? `team ${team.name}` : "all responders"}` : autoAssign[config.auto_assign]],
        collection.kind === "chat" ? ["Group messages within (minutes)", config.grouping_minutes] : ["Notify responders", notify[config.notify]],
        ["Working hours", schedule?.name ?? "24/7"],
        ["Messages are deleted after", collection.retention?.messages_days ? `${collection.retention.messages_days} days` : "Never"],
        ["Satisfaction (CSAT)", csat.enabled ? `${triggers[csat.trigger]}; ${surveyTypes[csat.survey_type]}` : "Off"],
        ...(Object.keys(emojiRules) as EmojiRule[]).map((r): [string, string] => [`Emoji: ${emojiRules[r].label}`, collection.emoji_config[r].map((n) => `:${n}:`).join(" ") || "Off"]),
      ]}
    />
  );
}

function ChannelName({ id }: { id: string | null }) {
  const channel = useChannel(id);
  return id === null ? "None" : `#${channel?.name ?? id}`;
}
