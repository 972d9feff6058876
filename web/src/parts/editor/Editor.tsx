import StarterKit from "@tiptap/starter-kit";
import { EditorContent, useEditor } from "@tiptap/react";
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import classes from "./Editor.module.css";
import { Offers } from "./Offers";
import { Toolbar } from "./Toolbar";
import { type Asked, type Desk, ourExtensions } from "./extensions";

export type EditorHandle = {
  focus: () => void;
  blur: () => void;
  /** Adds text at the end, as if it were typed there. */
  type: (text: string) => void;
  /** Puts other text in its place. */
  replace: (html: string) => void;
};

type Props = {
  /** What is in it at first. */
  html: string;
  label: string;
  placeholder: string;
  /** Called with what is in it, "" when that is nothing. */
  onChange: (html: string) => void;
  onSend: () => void;
  onFiles?: (files: File[]) => void;
  /** What stands beside the formats. */
  end?: ReactNode;
  ref?: Ref<EditorHandle | null>;
};

/** Text with the formats that the API keeps. */
export default function Editor({ html, label, placeholder, onChange, onSend, onFiles, end, ref }: Props) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [empty, setEmpty] = useState(html === "");
  const keys = useRef<Desk["takeKey"] | null>(null);
  // The editor is created once, but its callbacks may change with every render.
  const latest = useRef<Desk & Pick<Props, "label" | "onChange" | "onFiles">>(null!);
  latest.current = { offer: setAsked, takeKey: (e, now) => keys.current?.(e, now) ?? false, send: onSend, label, onChange, ...(onFiles && { onFiles }) };

  const takeFiles = (list: FileList | undefined) => {
    const files = [...(list ?? [])];
    if (files.length === 0 || !latest.current.onFiles) return false;
    latest.current.onFiles(files);
    return true;
  };
  const editor = useEditor({
    // Not during the render: React may discard a slow render together with its editor, and then there is none for a moment.
    immediatelyRender: false,
    extensions: [
      StarterKit.configure({ heading: false, underline: false, dropcursor: false, link: { openOnClick: false, HTMLAttributes: { target: null, rel: null }, protocols: ["mailto", "tel"] } }),
      ...ourExtensions(() => latest.current),
    ],
    content: html,
    injectCSS: false, // the page's policy would refuse it, and it is in our own styles
    editorProps: {
      attributes: () => ({ class: classes.text!, dir: "auto", role: "textbox", "aria-multiline": "true", "aria-label": latest.current.label }),
      handlePaste: (_, e) => takeFiles(e.clipboardData?.files),
      handleDrop: (_, e) => takeFiles(e.dataTransfer?.files),
    },
    onUpdate: ({ editor: e }) => {
      setEmpty(e.isEmpty);
      latest.current.onChange(e.getText().trim() === "" ? "" : e.getHTML()); // spaces alone say nothing
    },
  });
  useEffect(() => {
    editor?.setOptions({}); // its attributes are asked for again
  }, [editor, label]);
  useImperativeHandle<EditorHandle | null, EditorHandle | null>(ref, () => {
    if (!editor) return null;
    // Immediately: the editor's own command waits for a frame, and a key pressed in that frame would run a command.
    const focus = () => {
      editor.commands.setTextSelection(editor.state.doc.content.size);
      editor.view.focus();
    };
    return {
      focus,
      blur: () => editor.view.dom.blur(),
      type: (text) => {
        editor.commands.setTextSelection(editor.state.doc.content.size);
        for (const [i, line] of text.split("\n").entries()) {
          if (i > 0) editor.commands.splitBlock();
          if (line !== "") editor.view.dispatch(editor.state.tr.insertText(line));
        }
      },
      replace: (text) => {
        editor.commands.setContent(text, { emitUpdate: true });
        focus();
      },
    };
  }, [editor]);
  return (
    <div className={classes.editor}>
      <div className={classes.page}>
        {empty && (
          <div className={classes.placeholder} aria-hidden>
            {placeholder}
          </div>
        )}
        {editor ? <EditorContent editor={editor} /> : <div className={classes.text} aria-busy />}
      </div>
      <div className={classes.foot}>
        {editor && <Toolbar editor={editor} onFiles={onFiles ?? null} />}
        {end}
      </div>
      {asked && <Offers asked={asked} close={() => setAsked(null)} keys={keys} />}
    </div>
  );
}
