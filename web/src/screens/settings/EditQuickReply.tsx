import { Alert, Button, Group, Modal, Stack, Switch, TextInput, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Problem, sentence } from "../../api/client";
import { type QuickReply, changeQuickReply, makeQuickReply } from "../../data/quickReplies";
import { tell } from "../../tell";
import { htmlOf, isFormatted, textOf } from "./paragraphs";

/** The form for a quick reply, new or not. */
export function EditQuickReply({ reply, close }: { reply: QuickReply | "new" | null; close: () => void }) {
  return (
    <Modal opened={reply !== null} onClose={close} title={reply === "new" ? "New quick reply" : "Edit quick reply"} size="lg">
      {reply && <Form reply={reply === "new" ? null : reply} close={close} />}
    </Modal>
  );
}

function Form({ reply, close }: { reply: QuickReply | null; close: () => void }) {
  const before = reply ? textOf(reply.html) : "";
  const [name, setName] = useState(reply?.name ?? "");
  const [text, setText] = useState(before);
  const [shared, setShared] = useState(reply?.shared ?? false);
  const save = useMutation({
    mutationFn: () => {
      if (!reply) return makeQuickReply({ name: name.trim(), html: htmlOf(text), shared });
      // A text that was not touched keeps its formatting.
      return changeQuickReply(reply.id, { name: name.trim(), shared, ...(text !== before && { html: htmlOf(text) }) });
    },
    onSuccess: () => {
      tell(reply ? "Saved." : "Quick reply created.");
      close();
    },
  });
  const fields = save.error instanceof Problem ? save.error.fields : {};
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {save.isError && Object.keys(fields).length === 0 && (
          <Alert color="red" variant="light" role="alert">
            {sentence(save.error)}
          </Alert>
        )}
        <TextInput label="Name" description="Used to find it." required withAsterisk={false} maxLength={100} data-autofocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={fields.name} />
        <Textarea
          label="Text"
          description={reply && isFormatted(reply.html) ? "This text has formatting, such as bold or links. Editing it here removes the formatting." : "Leave a blank line to start a new paragraph."}
          required
          withAsterisk={false}
          autosize
          minRows={6}
          maxRows={16}
          value={text}
          onChange={(e) => setText(e.currentTarget.value)}
          error={fields.html}
        />
        <Switch label="Share with everyone" description="Everyone in the account can use it. Only you can change it." checked={shared} onChange={(e) => setShared(e.currentTarget.checked)} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={text.trim() === ""}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
