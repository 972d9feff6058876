import { t } from "@lingui/core/macro";
import { useEffect, useRef, useState } from "react";
import { type Mail, mailPage } from "../../data/mailbox";
import classes from "./Mailbox.module.css";
import { senderOf } from "./People";

/**
 * What a mail says, in a frame that can neither run nor load anything. It has our origin only so that we can see how
 * high it is, and hear the keys that are pressed in it. `shown` is called when it has its height.
 */
export function MailFrame({ mail, shown }: { mail: Mail; shown?: () => void }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [page, setPage] = useState<HTMLElement | null>(null);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    if (!page) return undefined;
    const look = new ResizeObserver(() => setHeight(page.getBoundingClientRect().height));
    look.observe(page);
    const hear = (e: KeyboardEvent) => window.dispatchEvent(new KeyboardEvent("keydown", { key: e.key, shiftKey: e.shiftKey, ctrlKey: e.ctrlKey, metaKey: e.metaKey, altKey: e.altKey }));
    page.ownerDocument.addEventListener("keydown", hear);
    return () => {
      look.disconnect();
      page.ownerDocument.removeEventListener("keydown", hear);
    };
  }, [page]);
  const isThere = height > 0;
  const tell = useRef(shown);
  tell.current = shown;
  useEffect(() => {
    if (isThere) tell.current?.();
  }, [isThere]);
  const name = senderOf(mail);
  return (
    <iframe
      ref={frame}
      className={classes.frame}
      title={t`Email from ${name}`}
      src={mailPage(mail.id)}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      style={{ height }}
      onLoad={() => setPage(frame.current?.contentDocument?.documentElement ?? null)}
    />
  );
}
