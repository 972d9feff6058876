import { t } from "@lingui/core/macro";
import { Switch, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { type QuickReply, changeQuickReply, makeQuickReply } from "../../data/quickReplies";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";
import { tell } from "../../tell";
import { htmlOf, isFormatted, textOf } from "./paragraphs";

/** The form for a quick reply, new or not. */
export function EditQuickReply({ reply, close }: { reply: QuickReply | "new" | null; close: () => void }) {
  return (
    <Dialog opened={reply !== null} onClose={close} title={reply === "new" ? t`New quick reply` : t`Edit quick reply`} size="lg">
      {reply && <Form reply={reply === "new" ? null : reply} close={close} />}
    </Dialog>
  );
}

function Form({ reply, close }: { reply: QuickReply | null; close: () => void }) {
  const before = reply ? textOf(reply.html) : "";
  const [name, setName] = useState(reply?.name ?? "");
  const [text, setText] = useState(before);
  const [shared, setShared] = useState(reply?.shared ?? false);
  const save = async () => {
    if (!reply) await makeQuickReply({ name: name.trim(), html: htmlOf(text), shared });
    // A text that was not touched keeps its formatting.
    else await changeQuickReply(reply.id, { name: name.trim(), shared, ...(text !== before && { html: htmlOf(text) }) });
  };
  const done = () => {
    tell(reply ? t`Saved.` : t`Quick reply created.`);
    close();
  };
  return (
    <DialogForm send={save} done={done} close={close} yes={t`Save`} ready={text.trim() !== ""}>
      {(wrong) => (
        <>
          <TextInput
            label={t`Name`}
            description={t`Used to find it.`}
            required
            withAsterisk={false}
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(e) => setName(e.currentTarget.value)}
            error={wrong("name")}
          />
          <Textarea
            label={t`Text`}
            description={
              reply && isFormatted(reply.html) ? t`This text has formatting, such as bold or links. Editing it here removes the formatting.` : t`Leave a blank line to start a new paragraph.`
            }
            required
            withAsterisk={false}
            autosize
            minRows={6}
            maxRows={16}
            value={text}
            onChange={(e) => setText(e.currentTarget.value)}
            error={wrong("html")}
          />
          <Switch label={t`Share with everyone`} description={t`Everyone in the account can use it. Only you can change it.`} checked={shared} onChange={(e) => setShared(e.currentTarget.checked)} />
        </>
      )}
    </DialogForm>
  );
}
