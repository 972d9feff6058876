import { plural, t } from "@lingui/core/macro";
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
  const days = collection.retention?.messages_days;
  const teamName = team?.name;
  const inTurn = teamName === undefined ? t`Everyone in turn, among all responders` : t`Everyone in turn, among team ${teamName}`;
  const emoji = emojiRules();
  const emojiOf = (rule: string) => t`Emoji: ${rule}`;
  const active = collection.channels?.filter((c) => c.status === "active") ?? [];
  return (
    <Facts
      of={[
        [t`Requests come from`, kinds()[collection.kind].label],
        ...(collection.kind === "email" ? [[t`Address`, collection.email_config?.address ?? t`None yet`] as [string, string]] : []),
        [t`Owner`, <Person key="owner" id={collection.owner} />],
        collection.kind === "chat"
          ? [t`Channels`, active.map((c) => `#${c.name}`).join(", ") || t({ message: "None", context: "channels" })]
          : [t`Request channel`, <ChannelName key="request" id={collection.request_channel_id} />],
        [t`Triage channel`, <ChannelName key="triage" id={collection.triage_channel_id} />],
        [
          t`Responders`,
          <Stack key="responders" gap={4}>
            {config.responders.map((r) => (
              <ResponderName key={JSON.stringify(r)} responder={r} />
            ))}
            {config.responders.length === 0 && t`None yet`}
          </Stack>,
        ],
        [t`Assign new requests to`, config.auto_assign === "round_robin" ? inTurn : autoAssign()[config.auto_assign]],
        collection.kind === "chat" ? [t`Group messages within (minutes)`, config.grouping_minutes] : [t`Notify responders`, notify()[config.notify]],
        [t`Working hours`, schedule?.name ?? "24/7"],
        [t`Messages are deleted after`, days ? plural(days, { one: "# day", other: "# days" }) : t`Never`],
        [t`Satisfaction (CSAT)`, csat.enabled ? `${triggers()[csat.trigger]}; ${surveyTypes()[csat.survey_type]}` : t`Off`],
        ...(Object.keys(emoji) as EmojiRule[]).map((r): [string, string] => [emojiOf(emoji[r].label), collection.emoji_config[r].map((n) => `:${n}:`).join(" ") || t`Off`]),
      ]}
    />
  );
}

function ChannelName({ id }: { id: string | null }) {
  const channel = useChannel(id);
  return id === null ? t({ message: "None", context: "channel" }) : `#${channel?.name ?? id}`;
}
