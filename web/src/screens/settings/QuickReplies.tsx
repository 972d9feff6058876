import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Group, Text } from "@mantine/core";
import { IconMessageCircleBolt, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMayWrite } from "../../data/me";
import { type QuickReply, quickRepliesQuery, removeQuickReply } from "../../data/quickReplies";
import { Question } from "../../parts/Question";
import { Empty, Failure, Loading } from "../../parts/states";
import { tell } from "../../tell";
import { SettingsColumn } from "./Column";
import { EditQuickReply } from "./EditQuickReply";
import { textOf } from "./paragraphs";
import { Row, Rows } from "./Rows";
import { Word } from "./Word";

/** Texts that are written once and used often. */
export function QuickReplies() {
  const replies = useQuery(quickRepliesQuery);
  const mayWrite = useMayWrite();
  const [editing, setEditing] = useState<QuickReply | "new" | null>(null);
  const [removing, setRemoving] = useState<QuickReply | null>(null);
  const gone = removing?.name ?? "";
  const add = mayWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEditing("new")}>
      {t`New quick reply`}
    </Button>
  );
  return (
    <SettingsColumn title={t`Quick replies`} about={t`Replies you use often. Choose one in a request to insert it into your message.`} action={add}>
      {replies.isPending && <Loading shape="rows" rows={4} />}
      {replies.isError && <Failure error={replies.error} retry={() => void replies.refetch()} />}
      {replies.data?.length === 0 && (
        <Empty icon={IconMessageCircleBolt} title={t`No quick replies yet`} action={add}>
          {t`Save the answers you give often, such as how to reset a password.`}
        </Empty>
      )}
      {replies.data && replies.data.length > 0 && (
        <Rows label={t`Quick replies`}>
          {replies.data.map((r) => (
            <Row key={r.id} action={r.mine && mayWrite && <Changes name={r.name} edit={() => setEditing(r)} remove={() => setRemoving(r)} />}>
              <Group gap="xs">
                <Text fw={550} dir="auto">
                  {r.name}
                </Text>
                {r.shared && <Word tone="plain">{r.mine ? t`Shared` : t`From a colleague`}</Word>}
              </Group>
              <Text size="sm" c="dimmed" lineClamp={2} dir="auto">
                {textOf(r.html)}
              </Text>
            </Row>
          ))}
        </Rows>
      )}
      <EditQuickReply reply={editing} close={() => setEditing(null)} />
      <Question
        opened={removing !== null}
        close={() => setRemoving(null)}
        title={t`Delete “${gone}”?`}
        yes={t`Delete`}
        run={async () => {
          if (removing) await removeQuickReply(removing.id);
          tell(t`Quick reply deleted.`);
        }}
      >
        {removing?.shared ? t`Your colleagues will lose it too.` : t`No one else can use it.`} {t`Messages already sent stay.`}
      </Question>
    </SettingsColumn>
  );
}

function Changes({ name, edit, remove }: { name: string; edit: () => void; remove: () => void }) {
  return (
    <>
      <ActionIcon aria-label={t`Edit ${name}`} onClick={edit}>
        <IconPencil size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon aria-label={t`Delete ${name}`} onClick={remove}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </>
  );
}
