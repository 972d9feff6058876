import { t } from "@lingui/core/macro";
import { Text, UnstyledButton } from "@mantine/core";
import { IconPaperclip } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import type { MailBox, MailThread } from "../../data/mailbox";
import { pointInTime } from "../../parts/time";
import classes from "./Mailbox.module.css";
import { nameOf } from "./People";

/** The threads of a box. */
export function Threads({ threads, owner, box, chosen, choose }: { threads: MailThread[]; owner: string; box: MailBox; chosen: number; choose: (id: number) => void }) {
  const here = useRef<HTMLLIElement>(null);
  useEffect(() => void here.current?.scrollIntoView({ block: "nearest" }), [chosen]);
  if (threads.length === 0)
    return (
      <Text size="sm" c="dimmed" p="md">
        {box === "sent" ? t`Nothing sent yet.` : t`No emails yet.`}
      </Text>
    );
  return (
    <ul className={`${classes.list} ${classes.scroll}`}>
      {threads.map((thread) => {
        const people = thread.people.map((p) => (p.email.toLowerCase() === owner ? t({ message: "me", context: "thread" }) : nameOf(p))).join(", ") || t`no one`;
        return (
          <li key={thread.id} ref={thread.id === chosen ? here : null}>
            <UnstyledButton
              className={classes.thread}
              {...(thread.id === chosen && { "data-chosen": true, "aria-current": "true" as const })}
              {...(thread.unread > 0 && { "data-unread": true })}
              onClick={() => choose(thread.id)}
            >
              <span className={classes.line}>
                {thread.unread > 0 && <span className={classes.dot} role="img" aria-label={t`Unread`} />}
                <span className={classes.who} dir="auto">
                  {box === "sent" ? t`To ${people}` : people}
                </span>
                {thread.count > 1 && (
                  <span className={classes.faint}>
                    {thread.count}
                    <span className="visually-hidden"> {t({ message: "emails", context: "after a number" })}</span>
                  </span>
                )}
                {thread.files && <IconPaperclip size={13} aria-label={t`Has attachments`} color="var(--faint)" />}
                <time className={classes.faint} dateTime={thread.at}>
                  {pointInTime(thread.at)}
                </time>
              </span>
              <span className={classes.subject} dir="auto">
                {thread.subject || t`(no subject)`}
              </span>
              <span className={classes.snippet} dir="auto">
                {thread.snippet}
              </span>
            </UnstyledButton>
          </li>
        );
      })}
    </ul>
  );
}
