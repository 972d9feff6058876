import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Group, Select, SegmentedControl, Text, TextInput } from "@mantine/core";
import { IconAt, IconUsers, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type Collection, type Responder, changeCollection } from "../../../data/collections";
import { teamsQuery, useTeam, useUser } from "../../../data/people";
import { useSaving, SavedMark } from "../../../parts/Saved";
import { Person, PersonSelect } from "../../../parts/person";
import { Section } from "../Column";
import { Row, Rows } from "../Rows";

/** Those who answer. What others write are requests. */
export function Responders({ collection }: { collection: Collection }) {
  const saving = useSaving();
  const responders = collection.config.responders;
  const save = (responders: Responder[]) => saving.run(() => changeCollection(collection.id, { config: { responders } }));
  return (
    <Section title={t`Responders`} about={t`People who answer requests. Their messages are replies. Messages from anyone else become requests.`} action={<SavedMark state={saving.state} />}>
      {responders.length === 0 ? (
        <Text c="dimmed">{t`No responders yet. Add people, a team or everyone with your email domain.`}</Text>
      ) : (
        <Rows label={t`Responders`}>
          {responders.map((r) => (
            <Row key={JSON.stringify(r)} action={<RemoveResponder responder={r} remove={() => void save(responders.filter((o) => o !== r))} />}>
              <ResponderName responder={r} />
            </Row>
          ))}
        </Rows>
      )}
      {saving.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          {saving.error}
        </Text>
      )}
      {responders.length < 100 && <AddResponder there={responders} add={(r) => save([...responders, r])} />}
    </Section>
  );
}

function RemoveResponder({ responder, remove }: { responder: Responder; remove: () => void }) {
  const user = useUser(responder.user_id);
  const team = useTeam(responder.team_id);
  const name = responder.email_domain ?? team?.name ?? user?.name ?? t`this responder`;
  return (
    <ActionIcon aria-label={t`Remove ${name}`} onClick={remove}>
      <IconX size={16} aria-hidden />
    </ActionIcon>
  );
}

/** A person, a team, or everyone of a domain. */
export function ResponderName({ responder }: { responder: Responder }) {
  const team = useTeam(responder.team_id)?.name ?? "…";
  const domain = responder.email_domain ?? "";
  if (responder.user_id !== undefined) return <Person id={responder.user_id} />;
  return (
    <Group gap={6} wrap="nowrap" component="span">
      {responder.team_id !== undefined ? <IconUsers size={18} stroke={1.6} aria-hidden /> : <IconAt size={18} stroke={1.6} aria-hidden />}
      <span>{responder.team_id !== undefined ? t`Team ${team}` : t`Everyone at ${domain}`}</span>
    </Group>
  );
}

type Kind = "person" | "team" | "domain";

function AddResponder({ there, add }: { there: Responder[]; add: (r: Responder) => Promise<boolean> }) {
  const [kind, setKind] = useState<Kind>("person");
  const [user, setUser] = useState<string | null>(null);
  const [team, setTeam] = useState<string | null>(null);
  const [domain, setDomain] = useState("");
  const teams = useQuery({ ...teamsQuery, enabled: kind === "team" }).data ?? [];
  const wanted: Responder | null =
    kind === "person"
      ? user === null
        ? null
        : { user_id: user }
      : kind === "team"
        ? team === null
          ? null
          : { team_id: Number(team) }
        : domain.trim() === ""
          ? null
          : { email_domain: domain.trim().replace(/^@/, "").toLowerCase() };
  const twice = wanted !== null && there.some((r) => JSON.stringify(r) === JSON.stringify(wanted));
  const submit = async (e: FormEvent) => {
    e.preventDefault();
    if (wanted === null || twice || !(await add(wanted))) return;
    setUser(null);
    setTeam(null);
    setDomain("");
  };
  const error = twice && t`Already added.`;
  return (
    <form onSubmit={(e) => void submit(e)}>
      <Group align="flex-start" gap="xs">
        <SegmentedControl
          aria-label={t`Responder type`}
          value={kind}
          onChange={(k) => setKind(k as Kind)}
          data={[
            { value: "person", label: t`Person` },
            { value: "team", label: t`Team` },
            { value: "domain", label: t`Email domain` },
          ]}
        />
        {kind === "person" && <PersonSelect aria-label={t`Person`} placeholder={t`Type a name`} value={user} onChange={setUser} error={error} style={{ flex: 1, minWidth: 160 }} />}
        {kind === "team" && (
          <Select
            aria-label={t`Team`}
            placeholder={t`Choose a team`}
            searchable
            data={teams.filter((t) => t.is_active).map((t) => ({ value: String(t.id), label: t.name }))}
            value={team}
            onChange={setTeam}
            error={error}
            style={{ flex: 1, minWidth: 160 }}
          />
        )}
        {kind === "domain" && (
          <TextInput
            aria-label={t`Email domain`}
            placeholder="acme.com"
            maxLength={253}
            value={domain}
            onChange={(e) => setDomain(e.currentTarget.value)}
            error={error}
            style={{ flex: 1, minWidth: 160 }}
          />
        )}
        <Button type="submit" variant="default" size="sm" disabled={wanted === null || twice}>
          {t`Add`}
        </Button>
      </Group>
    </form>
  );
}
