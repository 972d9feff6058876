import { t } from "@lingui/core/macro";
import { ActionIcon, Avatar, Button, Group, Menu, MultiSelect, Select, Text } from "@mantine/core";
import { IconDots, IconLink, IconTrash, IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { collectionsQuery } from "../../data/collections";
import { type Role, useMe } from "../../data/me";
import { type Member, changeMember, membersQuery, removeMember } from "../../data/members";
import { Question } from "../../parts/Question";
import { SavedMark, useDrawn, useInOrder } from "../../parts/Saved";
import { Failure, Loading } from "../../parts/states";
import { tell } from "../../tell";
import { AddPerson } from "./AddPerson";
import { SettingsColumn } from "./Column";
import { InvitationLink } from "./InvitationLink";
import { Row, Rows } from "./Rows";
import { roles } from "./roles";

/** Who works with the account. */
export function People() {
  const members = useQuery(membersQuery);
  const [adding, setAdding] = useState(false);
  const [inviting, setInviting] = useState<Member | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const gone = removing?.name ?? "";
  return (
    <SettingsColumn
      title={t`People and roles`}
      about={t`Admins can change everything, agents answer requests, and viewers can only read.`}
      action={
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          {t`Add person`}
        </Button>
      }
    >
      {members.isPending && <Loading shape="rows" />}
      {members.isError && <Failure error={members.error} retry={() => void members.refetch()} />}
      {members.data && (
        <Rows label={t`People`}>
          {members.data.map((m) => (
            <Person key={m.id} member={m} invite={() => setInviting(m)} remove={() => setRemoving(m)} />
          ))}
        </Rows>
      )}
      <AddPerson
        opened={adding}
        close={() => setAdding(false)}
        added={(m) => {
          setAdding(false);
          setInviting(m);
        }}
      />
      <InvitationLink member={inviting} close={() => setInviting(null)} />
      <Question
        opened={removing !== null}
        close={() => setRemoving(null)}
        title={t`Remove ${gone}?`}
        yes={t`Remove`}
        run={async () => {
          if (removing) await removeMember(removing.id);
          tell(t`Person removed.`);
        }}
      >
        {t`They are signed out immediately and their access tokens stop working. What they wrote and did stays under their name.`}
      </Question>
    </SettingsColumn>
  );
}

function Person({ member, invite, remove }: { member: Member; invite: () => void; remove: () => void }) {
  const me = useMe()?.member.id;
  const { name } = member;
  // One change is sent after the other: each response is the whole member, and the newest has to come last.
  const inOrder = useInOrder();
  const change = (wanted: { role?: Role; collection_ids?: number[] | null }) => inOrder(() => changeMember(member.id, wanted));
  const role = useDrawn<Role>({ field: "role", value: member.role, save: (role) => change({ role }) });
  const reach = useDrawn({ field: "collection_ids", value: member.collection_ids, save: (collection_ids) => change({ collection_ids }) });
  const states = [role.saving.state, reach.saving.state];
  const error = role.saving.error ?? reach.saving.error;
  return (
    <Row
      action={
        <>
          <SavedMark state={states.find((s) => s === "saving") ?? states.find((s) => s === "saved") ?? "idle"} />
          <Select
            aria-label={t`Role of ${name}`}
            w={124}
            allowDeselect={false}
            data={roles()}
            value={role.shown}
            onChange={(wanted) => {
              if (wanted) role.set(wanted as Role);
            }}
          />
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon aria-label={t`More actions for ${name}`}>
                <IconDots size={16} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconLink size={16} aria-hidden />} onClick={invite}>
                {t`Create invitation link`}
              </Menu.Item>
              <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={remove}>
                {t`Remove`}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Avatar name={name} variant="light" size={32} radius="xl" alt="" />
        <div style={{ minWidth: 0, flex: 1 }}>
          <Text fw={550}>
            {name}{" "}
            {member.id === me && (
              <Text span c="dimmed" fw={400}>
                {t`(you)`}
              </Text>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            {member.email}
          </Text>
          {role.shown !== "admin" && <Reach name={name} ids={reach.shown ?? []} change={reach.set} />}
          {error && (
            <Text size="sm" c="var(--bad)" role="alert">
              {error}
            </Text>
          )}
        </div>
      </Group>
    </Row>
  );
}

/** The collections whose requests somebody sees. */
function Reach({ name, ids, change }: { name: string; ids: number[]; change: (ids: number[] | null) => void }) {
  const collections = useQuery(collectionsQuery).data ?? [];
  return (
    <MultiSelect
      mt={6}
      size="xs"
      maw={360}
      aria-label={t`Collections of ${name}`}
      placeholder={ids.length > 0 ? undefined : t`All collections`}
      clearable
      clearButtonProps={{ "aria-label": t`All collections` }}
      data={collections.map((c) => ({ value: String(c.id), label: c.name }))}
      value={ids.map(String)}
      onChange={(ids) => change(ids.length === 0 ? null : ids.map(Number))}
    />
  );
}
