import { t } from "@lingui/core/macro";
import { Input } from "@mantine/core";
import { Suspense, useRef } from "react";
import { Editor, type EditorHandle } from "../../parts/editor";
import classes from "./Announcements.module.css";

/** The words in braces that stand for something else in each channel. */
const variables = ["{customer|all}", "{channel}", "{sender}"];

type Props = { html: string; change: (html: string) => void; send: () => void; autoFocus?: boolean };

/** Where an announcement is written. */
export function Written({ html, change, send, autoFocus = false }: Props) {
  const editor = useRef<EditorHandle | null>(null);
  const focused = useRef(false);
  return (
    <Input.Wrapper label={t`Message`} labelElement="div">
      <div className={classes.editor}>
        <Suspense fallback={<div className={classes.editorComing} aria-busy />}>
          <Editor
            ref={(handle) => {
              editor.current = handle;
              if (handle && autoFocus && !focused.current) {
                focused.current = true;
                handle.focus();
              }
            }}
            html={html}
            label={t`Message`}
            placeholder={t`Write to your customers. Type ; for quick replies.`}
            onChange={change}
            onSend={send}
          />
        </Suspense>
      </div>
      <Input.Description mt={4}>
        {t`Different in each channel:`}{" "}
        {variables.map((v) => (
          <button
            key={v}
            type="button"
            className={classes.variable}
            onClick={() => {
              editor.current?.type(v);
              editor.current?.focus();
            }}
          >
            {v}
          </button>
        ))}{" "}
        {t`Channels without a customer get what follows the |.`}
      </Input.Description>
    </Input.Wrapper>
  );
}
