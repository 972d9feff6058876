// A text to take along: a secret that is shown once, a line for the terminal.
import { t } from "@lingui/core/macro";
import { Button, Code } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useRef, useState } from "react";
import classes from "./Copy.module.css";

/** The text and a button that copies it. */
export function CopyLine({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState<"no" | "yes" | "chosen">("no");
  const box = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied("yes");
    } catch {
      // A page without https may not write to the clipboard; the text is marked, ready for the keys.
      if (box.current) getSelection()?.selectAllChildren(box.current);
      setCopied("chosen");
    }
  };
  return (
    <div>
      <div className={classes.label}>{label}</div>
      <div className={classes.line}>
        <Code ref={box} className={classes.text} tabIndex={0} role="textbox" aria-readonly aria-label={label} aria-multiline>
          {text}
        </Code>
        <Button variant="default" leftSection={copied === "yes" ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />} onClick={() => void copy()} aria-label={t`Copy: ${label}`}>
          {copied === "yes" ? t({ message: "Copied", context: "button" }) : t({ message: "Copy", context: "command" })}
        </Button>
      </div>
      <div role="status" className={classes.hint}>
        {copied === "chosen" && t`Selected. Copy it with your keyboard.`}
      </div>
    </div>
  );
}
