import { t } from "@lingui/core/macro";
import { ActionIcon, FileButton, Group, Menu, Pill, ScrollArea, Textarea } from "@mantine/core";
import { IconAt, IconPaperclip, IconSend } from "@tabler/icons-react";
import { useContext, useRef, useState } from "react";
import { Tip } from "../../parts/Tip";
import classes from "./Workspace.module.css";
import { NamesContext, toMrkdwn, userName } from "./Mrkdwn";
import { useActing, useDo } from "./acting";

/** What was begun and not sent, by person and place, while the app is open. */
const begun = new Map<string, string>();

function remove({ name }: File): string {
  return t`Remove ${name}`;
}

/** Where one writes, into a channel or a thread. */
export function Composer({ channel, thread, placeholder, autoFocus = false }: { channel: string; thread?: string; placeholder: string; autoFocus?: boolean }) {
  const slack = useActing();
  const { users } = useContext(NamesContext);
  const does = useDo();
  const key = `${slack.me} ${channel} ${thread ?? ""}`;
  const [text, setText] = useState(begun.get(key) ?? "");
  const [files, setFiles] = useState<File[]>([]);
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const type = (now: string) => {
    setText(now);
    begun.set(key, now);
  };
  const empty = !text.trim() && files.length === 0;
  const send = async () => {
    if (empty || busy) return;
    setBusy(true);
    const said = toMrkdwn(text.trim(), users);
    const done = await does((s) => (files.length > 0 ? s.upload(files, channel, thread, said) : s.call("chat.postMessage", { channel, text: said, ...(thread && { thread_ts: thread }) })));
    setBusy(false);
    if (done) {
      type("");
      setFiles([]);
    }
    box.current?.focus();
  };
  return (
    <div className={classes.composer}>
      <Textarea
        dir="auto"
        ref={box}
        variant="unstyled"
        aria-label={placeholder}
        placeholder={placeholder}
        autosize
        minRows={1}
        maxRows={8}
        autoFocus={autoFocus}
        value={text}
        onChange={(e) => type(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== "Enter" || e.shiftKey || e.nativeEvent.isComposing) return;
          e.preventDefault();
          void send();
        }}
      />
      {files.length > 0 && (
        <Pill.Group mb={4}>
          {files.map((f, i) => (
            <Pill key={i} withRemoveButton onRemove={() => setFiles(files.filter((_, at) => at !== i))} removeButtonProps={{ "aria-label": remove(f) }}>
              <bdi>{f.name}</bdi>
            </Pill>
          ))}
        </Pill.Group>
      )}
      <Group gap={4}>
        <FileButton multiple onChange={(added) => setFiles([...files, ...added])}>
          {(props) => (
            <Tip label={t`Attach files`}>
              <ActionIcon {...props} aria-label={t`Attach files`}>
                <IconPaperclip size={17} />
              </ActionIcon>
            </Tip>
          )}
        </FileButton>
        <Menu position="top-start" width={220} returnFocus={false}>
          <Menu.Target>
            <ActionIcon aria-label={t`Mention someone`}>
              <IconAt size={17} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <ScrollArea.Autosize mah={260}>
              {[...users.values()]
                .filter((u) => !u.deleted && u.id !== slack.me)
                .map((u) => (
                  <Menu.Item
                    key={u.id}
                    onClick={() => {
                      type(`${text}${text && !text.endsWith(" ") ? " " : ""}@${userName(u)} `);
                      box.current?.focus();
                    }}
                  >
                    {userName(u)}
                  </Menu.Item>
                ))}
            </ScrollArea.Autosize>
          </Menu.Dropdown>
        </Menu>
        <ActionIcon ml="auto" variant="filled" color="accent" aria-label={t({ message: "Send", context: "command" })} loading={busy} disabled={empty} onClick={() => void send()}>
          <IconSend size={16} />
        </ActionIcon>
      </Group>
    </div>
  );
}
