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
  const add = mayWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEditing("new")}>
      New quick reply
    </Button>
  );
  return (
    <SettingsColumn title="Quick replies" about="Replies you use often. Choose one in a request to insert it into your message." action={add}>
      {replies.isPending && <Loading shape="rows" rows={4} />}
      {replies.isError && <Failure error={replies.error} retry={() => void replies.refetch()} />}
      {replies.data?.length === 0 && (
        <Empty icon={IconMessageCircleBolt} title="No quick replies yet" action={add}>
          Save the answers you give often, such as how to reset a password.
        </Empty>
      )}
      {replies.data && replies.data.length > 0 && (
        <Rows label="Quick replies">
          {replies.data.map((r) => (
            <Row
              key={r.id}
              action={
                r.mine &&
                mayWrite && (
                  <>
                    <ActionIcon aria-label={`Edit ${r.name}`} onClick={() => setEditing(r)}>
                      <IconPencil size={16} aria-hidden />
                    </ActionIcon>
                    <ActionIcon aria-label={`Delete ${r.name}`} onClick={() => setRemoving(r)}>
                      <IconTrash size={16} aria-hidden />
                    </ActionIcon>
                  </>
                )
              }
            >
              <Group gap="xs">
                <Text fw={550} dir="auto">
                  {r.name}
                </Text>
                {r.shared && <Word tone="plain">{r.mine ? "Shared" : "From a colleague"}</Word>}
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
        title={`Delete “${removing?.name ?? ""}”?`}
        yes="Delete"
        run={async () => {
          if (removing) await removeQuickReply(removing.id);
          tell("Quick reply deleted.");
        }}
      >
        {removing?.shared ? "Your colleagues will lose it too." : "No one else can use it."} Messages already sent stay.
      </Question>
    </SettingsColumn>
  );
}
