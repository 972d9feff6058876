import { plural, t } from "@lingui/core/macro";
import { Button, Checkbox, Group, MultiSelect, Radio, Select, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type SourceMessage, announce, begunAnnouncement, channelsOf, keepAnnouncement } from "../../data/announcements";
import { channelsQuery } from "../../data/channels";
import { collectionsQuery } from "../../data/collections";
import { useMayWrite, useMe } from "../../data/me";
import { useUser } from "../../data/people";
import { PersonSelect } from "../../parts/person";
import { Question } from "../../parts/Question";
import { Empty, Failure, Loading } from "../../parts/states";
import { dateAndTime } from "../../parts/time";
import classes from "./Announcements.module.css";
import { ChannelPreview } from "./ChannelPreview";
import { type How, Source } from "./Source";
import { Written } from "./Written";

const route = getRouteApi("/frame/announcements/new");

type SenderKind = "native" | "user" | "topicOwner" | "customerOwner";

const senders = (): { value: SenderKind; label: string }[] => [
  { value: "native", label: t`Frontdesk` },
  { value: "user", label: t`A team member` },
  { value: "topicOwner", label: t`Each channel’s owner` },
  { value: "customerOwner", label: t`Each customer’s owner` },
];

/** Characters that the API does not allow in a name. */
const otherCharacters = /[^\p{L}\p{M}\p{N} _'’-]+/gu;

/** A name for a message, from its first words. */
function nameFor(html: string): string {
  const text = new DOMParser().parseFromString(html.replaceAll("</p>", "</p> "), "text/html").body.textContent ?? "";
  const words = text
    .replaceAll(/\{\w+(\|([^{}]*))?\}/g, " $2 ")
    .replaceAll(/(\d)\.(?=\d)/g, "$1-")
    .replaceAll(otherCharacters, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return words.length > 60 ? words.slice(0, words.lastIndexOf(" ", 60)) : words;
}

/** What is asked before an announcement is sent. */
function sending(name: string, reached: number, as: string) {
  return {
    title: t`Send to ${plural(reached, { one: "# channel", other: "# channels" })}?`,
    yes: t`Send to ${plural(reached, { one: "# channel", other: "# channels" })}`,
    text: t`“${name}” will be sent now to ${plural(reached, { one: "# channel", other: "# channels" })} as ${as}. This cannot be undone.`,
  };
}

/** What is asked before one is scheduled. */
function scheduling(name: string, reached: number, as: string, at: Date) {
  const time = dateAndTime(at.getTime());
  return {
    title: t`Send to ${plural(reached, { one: "# channel", other: "# channels" })}?`,
    yes: t({ message: "Schedule", context: "command" }),
    text: t`“${name}” will be sent ${time} to ${plural(reached, { one: "# channel", other: "# channels" })} as ${as}. You can cancel it until then.`,
  };
}

export function NewAnnouncement() {
  const me = useMe();
  const mayWrite = useMayWrite();
  if (!me) return <Loading />; // nor is it known yet whose draft to show
  if (!mayWrite) return <Empty title={t`Only agents and admins can create announcements`}>{t`You can read past announcements.`}</Empty>;
  return <Form />;
}

function Form() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const places = useQuery(collectionsQuery);
  const known = useQuery(channelsQuery);
  const search = route.useSearch();
  const [begun] = useState(begunAnnouncement);
  const [how, setHow] = useState<How>(search.link ? "link" : search.channel ? "channel" : "write");
  const [html, setHtml] = useState(begun?.html ?? "");
  const [message, setMessage] = useState<SourceMessage | null>(null);
  const [typedName, setTypedName] = useState<string | null>(begun?.name ?? null);
  const [to, setTo] = useState<string[]>(begun?.to ?? []);
  const [sender, setSender] = useState<SenderKind>(begun?.sender ?? "native");
  const [person, setPerson] = useState<string | null>(begun?.person ?? null);
  const [unfurl, setUnfurl] = useState(begun?.unfurl ?? false);
  const [sent, setSent] = useState(false);
  const [emptied, setEmptied] = useState(0);
  const [when, setWhen] = useState<"now" | "later">("now");
  const [time, setTime] = useState("");
  const [asking, setAsking] = useState(false);
  const [discarding, setDiscarding] = useState(false);
  const sendingPerson = useUser(sender === "user" ? person : null);
  useEffect(() => {
    const nothing = sent || (html === "" && !typedName && to.length === 0);
    keepAnnouncement(nothing ? null : { html, name: typedName, to, sender, person, unfurl });
  }, [sent, html, typedName, to, sender, person, unfurl]);

  if (places.isError) return <Failure error={places.error} retry={() => void places.refetch()} />;

  const collections = (places.data ?? []).filter((p) => p.kind === "chat");
  const recipients = to.map((r) => (r.startsWith("collection ") ? { type: "collection" as const, id: Number(r.slice(11)) } : { type: "channel" as const, id: r.slice(8) }));
  const all = channelsOf(
    { collections: recipients.filter((r) => r.type === "collection").map((r) => Number(r.id)), channels: recipients.filter((r) => r.type === "channel").map((r) => String(r.id)) },
    collections,
  );
  const reached = all.size;
  const writing = how === "write";
  const body = writing ? html : (message?.html ?? "");
  const name = typedName ?? nameFor(body);
  const badName = name.match(otherCharacters);
  const at = when === "later" && time ? new Date(time) : null;
  const past = at !== null && at.getTime() <= Date.now();
  const as = sendingPerson?.name ?? senders().find((s) => s.value === sender)?.label ?? "";
  const ready = (writing ? html !== "" : message && !message.problem) && name.trim() && !badName && reached > 0 && (when === "now" || (at && !past)) && (sender !== "user" || person);

  const config = { type: sender, ...(sender === "user" && { senderId: person }), useUserToken: false };
  const clear = () => {
    setHtml("");
    setTypedName(null);
    setTo([]);
    setEmptied((n) => n + 1);
  };
  const send = async () => {
    if (!ready) return;
    const id = await announce(client, {
      ...(message && !writing ? { channel_id: message.channel_id, message_ts: message.ts } : { html_body: html }),
      name: name.trim(),
      recipients,
      action: at ? "schedule" : "send_now",
      ...(at && { scheduled_time: at.toISOString() }),
      sender_config: config,
      unfurl_links: unfurl,
      unfurl_media: unfurl,
    });
    setSent(true);
    keepAnnouncement(null);
    void navigate({ to: "/announcements/$id", params: { id: String(id) } });
  };

  const question = at ? scheduling(name.trim(), reached, as, at) : sending(name.trim(), reached, as);

  return (
    <div className={classes.page}>
      <div className={classes.top}>
        <Title order={1}>{t`New announcement`}</Title>
      </div>
      <div className={classes.two}>
        <form
          onSubmit={(e) => {
            e.preventDefault();
            if (ready) setAsking(true);
          }}
        >
          <Stack gap="lg">
            <Source how={how} setHow={setHow} chosen={message} choose={setMessage}>
              <Written key={emptied} html={html} change={setHtml} send={() => ready && setAsking(true)} />
            </Source>
            <TextInput
              label={t`Name`}
              description={t`For your team only. Customers do not see it.`}
              maxLength={200}
              value={name}
              onChange={(e) => setTypedName(e.currentTarget.value)}
              error={badName ? t`Use only letters, digits, spaces, hyphens, underscores and apostrophes.` : undefined}
            />
            <MultiSelect
              label={t({ message: "To", context: "recipients" })}
              description={t`A collection includes all its active channels.`}
              placeholder={to.length === 0 ? t`Collections and channels` : ""}
              searchable
              value={to}
              onChange={setTo}
              data={[
                { group: t`Collections`, items: collections.map((c) => ({ value: `collection ${c.id}`, label: c.name })) },
                { group: t`Channels`, items: (known.data ?? []).filter((c) => !c.is_archived).map((c) => ({ value: `channel ${c.id}`, label: `#${c.name}` })) },
              ]}
            />
            <Text role="status" size="sm" mt={-12} c={reached === 0 && to.length > 0 ? "var(--bad)" : "dimmed"}>
              {to.length === 0 ? t`Choose recipients.` : reached === 0 ? t`Your selection has no active channels.` : t`Will be sent to ${plural(reached, { one: "# channel", other: "# channels" })}.`}
            </Text>
            <Select label={t`Sent as`} allowDeselect={false} data={senders()} value={sender} onChange={(v) => v && setSender(v as SenderKind)} />
            {sender === "user" && <PersonSelect label={t`Person`} value={person} onChange={setPerson} />}
            {(sender === "topicOwner" || sender === "customerOwner") && (
              <Text size="sm" c="dimmed" mt={-12}>
                {t`Channels without an owner are skipped and shown as failed.`}
              </Text>
            )}
            <Checkbox label={t`Show link previews`} checked={unfurl} onChange={(e) => setUnfurl(e.currentTarget.checked)} />
            <Radio.Group label={t`When`} value={when} onChange={(v) => setWhen(v as typeof when)}>
              <Group mt={4}>
                <Radio value="now" label={t`Now`} />
                <Radio value="later" label={t`Later`} />
              </Group>
            </Radio.Group>
            {when === "later" && (
              <TextInput type="datetime-local" label={t`Date and time`} value={time} onChange={(e) => setTime(e.currentTarget.value)} error={past ? t`This time is in the past.` : undefined} />
            )}
            <Group>
              <Button type="submit" size="sm" disabled={!ready}>
                {when === "now" ? t`Send…` : t({ message: "Schedule…", context: "command" })}
              </Button>
              <Button component={Link} to="/announcements" size="sm" variant="default">
                {writing && html !== "" ? t`Keep for later` : t`Cancel`}
              </Button>
              {writing && html !== "" && (
                <Button size="sm" variant="subtle" color="red" onClick={() => setDiscarding(true)}>
                  {t`Discard`}
                </Button>
              )}
            </Group>
          </Stack>
        </form>
        <ChannelPreview to={[...all]} html={writing ? html : null} message={writing ? null : message} sender={config} as={as} />
      </div>
      <Question opened={asking} close={() => setAsking(false)} title={question.title} yes={question.yes} dangerous={false} run={send}>
        {question.text}
      </Question>
      <Question
        opened={discarding}
        close={() => setDiscarding(false)}
        title={t`Discard what you have written?`}
        yes={t`Discard`}
        run={() => {
          clear();
          return Promise.resolve();
        }}
      >
        {t`The text, its name and its recipients are deleted. This cannot be undone.`}
      </Question>
    </div>
  );
}
