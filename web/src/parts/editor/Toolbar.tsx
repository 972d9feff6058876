import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Group, Menu, Popover, TextInput } from "@mantine/core";
import { IconAt, IconBlockquote, IconBold, IconCode, IconItalic, IconLink, IconList, IconListNumbers, IconMessage2Bolt, IconPaperclip, type TablerIcon } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type Editor, useEditorState } from "@tiptap/react";
import { type ReactNode, useRef, useState } from "react";
import { quickRepliesQuery } from "../../data/quickReplies";
import { Keys } from "../../frame/commands";
import { AppLink } from "../AppLink";
import { Tip } from "../Tip";
import { quickRepliesPage } from "./Offers";

/** The formats, people, quick replies and files. */
export function Toolbar({ editor, onFiles }: { editor: Editor; onFiles: ((files: File[]) => void) | null }) {
  const on = useEditorState({
    editor,
    selector: ({ editor: e }) => ({
      bold: e.isActive("bold"),
      italic: e.isActive("italic"),
      code: e.isActive("code"),
      bullets: e.isActive("bulletList"),
      numbers: e.isActive("orderedList"),
      quote: e.isActive("blockquote"),
    }),
  });
  const files = useRef<HTMLInputElement>(null);
  const does = () => editor.chain().focus();
  return (
    <Group gap={2} role="toolbar" aria-label={t({ message: "Format", context: "toolbar" })} wrap="wrap">
      <Tool label={t`Bold`} keys="mod+b" icon={IconBold} on={on.bold} run={() => does().toggleBold().run()} />
      <Tool label={t`Italic`} keys="mod+i" icon={IconItalic} on={on.italic} run={() => does().toggleItalic().run()} />
      <Tool label={t({ message: "Code", context: "format" })} keys="mod+e" icon={IconCode} on={on.code} run={() => does().toggleCode().run()} />
      <LinkTool editor={editor} />
      <Tool label={t({ message: "List", context: "format" })} icon={IconList} on={on.bullets} run={() => does().toggleBulletList().run()} />
      <Tool label={t`Numbered list`} icon={IconListNumbers} on={on.numbers} run={() => does().toggleOrderedList().run()} />
      <Tool label={t({ message: "Quote", context: "format" })} icon={IconBlockquote} on={on.quote} run={() => does().toggleBlockquote().run()} />
      <Tool
        label={t`Mention someone`}
        keys="@"
        icon={IconAt}
        run={() =>
          does()
            .insertContent(`${spaced(editor)}@`)
            .run()
        }
      />
      <QuickReplies editor={editor} />
      {onFiles && (
        <>
          <Tool label={t`Attach files`} icon={IconPaperclip} run={() => files.current?.click()} />
          <input
            ref={files}
            type="file"
            multiple
            hidden
            aria-label={t`Files`}
            onChange={(e) => {
              onFiles([...(e.currentTarget.files ?? [])]);
              e.currentTarget.value = ""; // the same file can be chosen again
            }}
          />
        </>
      )}
    </Group>
  );
}

/** A space, where a sign that stands for something would otherwise end a word. */
function spaced(editor: Editor): string {
  const { $from } = editor.state.selection;
  const before = $from.parent.textBetween(Math.max(0, $from.parentOffset - 1), $from.parentOffset);
  return before === "" || /\s/.test(before) ? "" : " ";
}

function Tool({ label, keys, icon: Icon, on, run }: { label: string; keys?: string; icon: TablerIcon; on?: boolean; run: () => void }) {
  return (
    <Tip label={<Named label={label} {...(keys && { keys })} />}>
      <ActionIcon size="sm" aria-label={label} {...(on !== undefined && { "aria-pressed": on, variant: on ? "light" : "subtle" })} onMouseDown={(e) => e.preventDefault()} onClick={run}>
        <Icon size={16} stroke={1.8} aria-hidden />
      </ActionIcon>
    </Tip>
  );
}

function Named({ label, keys }: { label: string; keys?: string }): ReactNode {
  return (
    <>
      {label} {keys && <Keys keys={keys} />}
    </>
  );
}

/** Asks where a link leads. */
function LinkTool({ editor }: { editor: Editor }) {
  const [opened, setOpened] = useState(false);
  const [address, setAddress] = useState("");
  const active = useEditorState({ editor, selector: ({ editor: e }) => e.isActive("link") });
  const save = () => {
    setOpened(false);
    const typed = address.trim();
    const chain = editor.chain().focus().extendMarkRange("link");
    if (typed === "") {
      chain.unsetLink().run();
      return;
    }
    const href = /^[a-z]+:/i.test(typed) ? typed : /^[^\s@/]+@[^\s@/]+$/.test(typed) ? `mailto:${typed}` : `https://${typed}`;
    if (editor.state.selection.empty && !active)
      editor
        .chain()
        .focus()
        .insertContent({ type: "text", text: typed, marks: [{ type: "link", attrs: { href } }] })
        .unsetMark("link")
        .run();
    else chain.setLink({ href }).run();
  };
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus withArrow shadow="md">
      <Popover.Target>
        <Tip label={t({ message: "Link", context: "format" })}>
          <ActionIcon
            size="sm"
            aria-label={t({ message: "Link", context: "format" })}
            aria-pressed={active}
            variant={active ? "light" : "subtle"}
            onClick={() => {
              setAddress((editor.getAttributes("link").href as string | undefined) ?? "");
              setOpened(!opened);
            }}
          >
            <IconLink size={16} stroke={1.8} aria-hidden />
          </ActionIcon>
        </Tip>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(e) => {
            e.preventDefault();
            e.stopPropagation();
            save();
          }}
        >
          <Group gap="xs" wrap="nowrap">
            <TextInput aria-label={t`Link address`} placeholder="https://" size="xs" w={240} value={address} onChange={(e) => setAddress(e.currentTarget.value)} data-autofocus />
            <Button type="submit">{address.trim() === "" && active ? t({ message: "Remove", context: "link" }) : t({ message: "Apply", context: "link" })}</Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

function QuickReplies({ editor }: { editor: Editor }) {
  const replies = useQuery(quickRepliesQuery).data ?? [];
  return (
    <Menu position="top-start" width={280} returnFocus={false}>
      <Menu.Target>
        <Tip label={<Named label={t`Quick replies`} keys=";" />}>
          <ActionIcon size="sm" aria-label={t`Quick replies`}>
            <IconMessage2Bolt size={16} stroke={1.8} aria-hidden />
          </ActionIcon>
        </Tip>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflow: "auto" }}>
        {replies.map((r) => (
          <Menu.Item key={r.id} onClick={() => editor.chain().focus().insertContent(r.html).run()}>
            {r.name}
          </Menu.Item>
        ))}
        {replies.length === 0 && (
          <>
            <Menu.Label>{t`No quick replies yet`}</Menu.Label>
            <Menu.Item component={AppLink} href={quickRepliesPage}>
              {t({ message: "Create one", context: "quick reply" })}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
