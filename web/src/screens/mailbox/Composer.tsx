import { msg, t } from "@lingui/core/macro";
import { ActionIcon, Autocomplete, Button, Checkbox, FileButton, Group, Pill, TagsInput, TextInput, Textarea } from "@mantine/core";
import { IconMailForward, IconPaperclip, IconSend, IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AnswerKind, type MailDraft, type Mailboxes, mailAnswerQuery, sendMail } from "../../data/mailbox";
import { Keys, useCommands } from "../../frame/commands";
import { Failure, Loading, Refused } from "../../parts/states";
import { Tip } from "../../parts/Tip";
import { tell } from "../../tell";
import { table } from "../../texts/table";
import classes from "./Mailbox.module.css";

type Begun = { draft: MailDraft; files: File[] };

/** What was begun and not sent, by mailbox and the mail that it answers, while the app is open. */
const begun = new Map<string, Begun>();

const titles = table({ new: msg`New email`, reply: msg({ message: "Reply", context: "command" }), all: msg`Reply all`, forward: msg({ message: "Forward", context: "command" }) });

type Props = { boxes: Mailboxes; owner: string; kind: AnswerKind | "new"; mail?: number; close: () => void };

/** Where one writes a mail. */
export function Composer(props: Props) {
  const { boxes, owner, kind, mail = 0 } = props;
  const answer = useQuery({ ...mailAnswerQuery(owner, mail, kind === "new" ? "reply" : kind), enabled: kind !== "new" });
  const fresh: MailDraft = { from: addressOf(boxes, owner), to: boxes.contacts.slice(0, 1), cc: [], subject: "", text: "", kind: "", answers: 0, quote: false, forged: false };
  const draft = kind === "new" ? fresh : answer.data;
  if (answer.isError) return <Failure error={answer.error} />;
  if (!draft) return <Loading rows={3} />;
  return <Form {...props} first={draft} />;
}

function remove({ name }: File): string {
  return t`Remove ${name}`;
}

/** An address as one types it, with the name of who is known. */
function addressOf(boxes: Mailboxes, email: string): string {
  const person = boxes.people.find((p) => p.email === email);
  return person?.name ? `${person.name} <${email}>` : email;
}

function Form({ boxes, owner, kind, mail = 0, close, first }: Props & { first: MailDraft }) {
  const key = `${owner} ${kind} ${mail}`;
  const client = useQueryClient();
  const [{ draft, files }, setBegun] = useState<Begun>(() => begun.get(key) ?? { draft: first, files: [] });
  const change = (now: Partial<MailDraft>, nowFiles = files) => {
    const next = { draft: { ...draft, ...now }, files: nowFiles };
    begun.set(key, next);
    setBegun(next);
  };
  const sending = useMutation({
    mutationFn: () => sendMail(draft, files),
    onSuccess: async () => {
      begun.delete(key);
      tell(t`Email sent`);
      close();
      await client.invalidateQueries({ queryKey: ["mailbox"] }); // the stream may be a moment late
    },
  });
  const send = () => {
    if (!sending.isPending) sending.mutate();
  };
  useCommands([
    { id: "mailbox-send", label: t`Send email`, keys: "mod+enter", group: t`Mailbox`, run: send },
    { id: "mailbox-close", label: t`Close email`, keys: "escape", group: t`Mailbox`, keyOnly: true, run: close },
  ]);
  const people = boxes.people.map((p) => addressOf(boxes, p.email));
  const everybody = [...new Set([...boxes.contacts, ...people])];
  const isAnswer = kind === "reply" || kind === "all";
  return (
    <form
      className={classes.composer}
      aria-label={titles[kind]}
      data-whole={kind === "new" || undefined}
      onSubmit={(e) => {
        e.preventDefault();
        send();
      }}
    >
      <div className={classes.composerBar}>
        <h2 className={classes.title}>{titles[kind]}</h2>
        <ActionIcon ml="auto" aria-label={t`Close and keep draft`} onClick={close}>
          <IconX size={17} />
        </ActionIcon>
      </div>
      <div className={classes.fields}>
        <Autocomplete
          label={t({ message: "From", context: "email" })}
          data={people}
          value={draft.from}
          onChange={(from) => change({ from })}
          comboboxProps={{ shadow: "md" }}
          maxDropdownHeight={260}
          selectFirstOptionOnChange={false}
        />
        <TagsInput
          label={t({ message: "To", context: "email" })}
          data={everybody}
          value={draft.to}
          onChange={(to) => change({ to })}
          splitChars={[",", ";"]}
          maxDropdownHeight={260}
          {...(kind === "forward" && { autoFocus: true })}
        />
        <TagsInput label={t({ message: "Cc", context: "email" })} data={everybody} value={draft.cc} onChange={(cc) => change({ cc })} splitChars={[",", ";"]} maxDropdownHeight={260} />
        <TextInput label={t`Subject`} dir="auto" value={draft.subject} onChange={(e) => change({ subject: e.currentTarget.value })} {...(kind === "new" && { autoFocus: true })} />
      </div>
      <Textarea
        dir="auto"
        className={classes.words}
        aria-label={t({ message: "Text", context: "email" })}
        placeholder={t`Write your email`}
        autosize
        minRows={kind === "new" ? 10 : 4}
        maxRows={kind === "new" ? 30 : 12}
        value={draft.text}
        onChange={(e) => change({ text: e.currentTarget.value })}
        {...(isAnswer && { autoFocus: true })}
      />
      {files.length > 0 && (
        <Pill.Group>
          {files.map((f, i) => (
            <Pill
              key={i}
              withRemoveButton
              onRemove={() =>
                change(
                  {},
                  files.filter((_, at) => at !== i),
                )
              }
              removeButtonProps={{ "aria-label": remove(f) }}
            >
              <bdi>{f.name}</bdi>
            </Pill>
          ))}
        </Pill.Group>
      )}
      <Refused error={sending.error} />
      <Group gap="sm">
        <FileButton multiple onChange={(added) => change({}, [...files, ...added])}>
          {(props) => (
            <Tip label={t`Attach files`}>
              <ActionIcon {...props} size="lg" aria-label={t`Attach files`}>
                <IconPaperclip size={18} />
              </ActionIcon>
            </Tip>
          )}
        </FileButton>
        {isAnswer && <Checkbox size="xs" label={t`Quote original email`} checked={draft.quote} onChange={(e) => change({ quote: e.currentTarget.checked })} />}
        {boxes.can_forge && (
          <Tip label={t`The sender’s domain does not confirm this email (DMARC fails).`} multiline maw={280}>
            <Checkbox size="xs" label={t`Forged sender`} checked={draft.forged} onChange={(e) => change({ forged: e.currentTarget.checked })} />
          </Tip>
        )}
        <Group ml="auto" gap="xs">
          <Button
            variant="default"
            size="sm"
            onClick={() => {
              begun.delete(key);
              close();
            }}
          >
            {t({ message: "Discard", context: "command" })}
          </Button>
          <Tip
            label={
              <>
                {t({ message: "Send", context: "command" })} <Keys keys="mod+enter" />
              </>
            }
          >
            <Button type="submit" size="sm" loading={sending.isPending} leftSection={kind === "forward" ? <IconMailForward size={16} aria-hidden /> : <IconSend size={16} aria-hidden />}>
              {t({ message: "Send", context: "command" })}
            </Button>
          </Tip>
        </Group>
      </Group>
    </form>
  );
}
