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
        {box === "sent" ? "Nothing sent yet." : "No mail yet."}
      </Text>
    );
  return (
    <ul className={`${classes.list} ${classes.scroll}`}>
      {threads.map((t) => (
        <li key={t.id} ref={t.id === chosen ? here : null}>
          <UnstyledButton
            className={classes.thread}
            {...(t.id === chosen && { "data-chosen": true, "aria-current": "true" as const })}
            {...(t.unread > 0 && { "data-unread": true })}
            onClick={() => choose(t.id)}
          >
            <span className={classes.line}>
              {t.unread > 0 && <span className={classes.dot} role="img" aria-label="Unread" />}
              <span className={classes.who} dir="auto">
                {box === "sent" && "To "}
                {t.people.map((p) => (p.email.toLowerCase() === owner ? "me" : nameOf(p))).join(", ") || "nobody"}
              </span>
              {t.count > 1 && (
                <span className={classes.faint}>
                  {t.count}
                  <span className="visually-hidden"> mails</span>
                </span>
              )}
              {t.files && <IconPaperclip size={13} aria-label="Has files" color="var(--faint)" />}
              <time className={classes.faint} dateTime={t.at}>
                {pointInTime(t.at)}
              </time>
            </span>
            <span className={classes.subject} dir="auto">
              {t.subject || "(no subject)"}
            </span>
            <span className={classes.snippet} dir="auto">
              {t.snippet}
            </span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
