import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { ActionIcon, Button, Group, Menu, Text, UnstyledButton } from "@mantine/core";
import { IconArrowBackUp, IconArrowBackUpDouble, IconArrowForwardUp, IconChevronLeft, IconCode, IconDots, IconFile } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type AnswerKind, type Mail, type MailAddress, type Mailboxes, mailAnswerQuery, mailFile, mailSourceQuery, mailThreadQuery, readMails } from "../../data/mailbox";
import { Keys, useCommands } from "../../frame/commands";
import { size } from "../../parts/bytes";
import { Dialog } from "../../parts/Dialog";
import { useIsPhone } from "../../parts/Panes";
import { Face } from "../../parts/Face";
import { Failure, Loading } from "../../parts/states";
import { dateAndTime, fullTime } from "../../parts/time";
import { Tip } from "../../parts/Tip";
import { tellProblem } from "../../tell";
import { Composer } from "./Composer";
import { MailFrame } from "./MailFrame";
import classes from "./Mailbox.module.css";
import { senderOf } from "./People";

/** An answer that is being written: to which mail, and of what kind. */
type Writing = { kind: AnswerKind | "new"; mail: number };

const answers = [
  { kind: "reply", label: msg({ message: "Reply", context: "command" }), keys: "r", icon: IconArrowBackUp },
  { kind: "all", label: msg`Reply all`, keys: "a", icon: IconArrowBackUpDouble },
  { kind: "forward", label: msg({ message: "Forward", context: "command" }), keys: "f", icon: IconArrowForwardUp },
] as const;

/** A thread of mails, and the answer below it. */
export function Thread({ boxes, owner, id, writing, write, close }: { boxes: Mailboxes; owner: string; id: number; writing: Writing | null; write: (w: Writing | null) => void; close: () => void }) {
  const mails = useQuery(mailThreadQuery(owner, id));
  const phone = useIsPhone();
  const unseen = mails.data?.filter((m) => !m.seen).length ?? 0;
  useEffect(() => {
    if (unseen > 0) readMails(owner, id).catch(tellProblem);
  }, [owner, id, unseen]);
  const last = mails.data?.at(-1);
  const answering = writing && writing.kind !== "new" ? { ...writing, kind: writing.kind } : null;
  const begun = useQuery({ ...mailAnswerQuery(owner, answering?.mail ?? 0, answering?.kind ?? "reply"), enabled: answering !== null }).isSuccess;
  useCommands([
    ...(last ? answers.map((a) => ({ id: `mailbox-${a.kind}`, label: i18n._(a.label), keys: a.keys, group: t`Mailbox`, run: () => write({ kind: a.kind, mail: last.id }) })) : []),
    { id: "mailbox-close", label: writing ? t`Close reply` : t`Close thread`, keys: "escape", group: t`Mailbox`, keyOnly: true, run: () => (writing ? write(null) : close()) },
  ]);
  if (mails.isError) return <Failure error={mails.error} retry={() => void mails.refetch()} />;
  if (!mails.data || !last) return <Loading />;
  return (
    <section className={classes.open} aria-label={t`Thread`}>
      <div className={classes.bar}>
        {phone && (
          <ActionIcon aria-label={t`Back to the list`} onClick={close}>
            <IconChevronLeft size={18} />
          </ActionIcon>
        )}
        <h2 className={classes.title} dir="auto">
          {last.subject || t`(no subject)`}
        </h2>
      </div>
      <Mails mails={mails.data} owner={owner} writing={begun && answering !== null}>
        {(m) => <Answers mail={m} write={(kind) => write({ kind, mail: m.id })} />}
      </Mails>
      {answering ? (
        <Composer key={`${answering.kind} ${answering.mail}`} boxes={boxes} owner={owner} kind={answering.kind} mail={answering.mail} close={() => write(null)} />
      ) : (
        <Group className={classes.answers} gap="xs">
          {answers.map((a) => (
            <Tip
              key={a.kind}
              label={
                <>
                  {i18n._(a.label)} <Keys keys={a.keys} />
                </>
              }
            >
              <Button variant="default" size={phone ? "xs" : "sm"} leftSection={!phone && <a.icon size={16} aria-hidden />} onClick={() => write({ kind: a.kind, mail: last.id })}>
                {i18n._(a.label)}
              </Button>
            </Tip>
          ))}
        </Group>
      )}
    </section>
  );
}

function Mails({ mails, owner, writing, children }: { mails: Mail[]; owner: string; writing: boolean; children: (m: Mail) => ReactNode }) {
  const newest = useRef<HTMLElement>(null);
  const lastId = mails.at(-1)?.id;
  // What is new is open, and stays so when it was read or another one arrives, unless it is closed by hand.
  const fresh = useRef(new Set<number>());
  for (const m of mails) if (!m.seen || m.id === lastId) fresh.current.add(m.id);
  const [byHand, setByHand] = useState<Record<number, boolean>>({});
  // The newest is in sight, beside the answer to it, too.
  const show = () => void newest.current?.scrollIntoView({ block: "start" });
  useEffect(show, [lastId, writing]);
  return (
    <div className={classes.mails} role="log" aria-label={t`Emails`} tabIndex={0}>
      {mails.map((m) => {
        const isLast = m.id === lastId;
        const open = byHand[m.id] ?? fresh.current.has(m.id);
        const toggle = () => setByHand({ ...byHand, [m.id]: !open });
        const name = senderOf(m);
        return (
          <article key={m.id} className={classes.mail} ref={isLast ? newest : null} aria-label={t`Email from ${name}`} data-open={open || undefined}>
            <div className={classes.head}>
              <Face name={name} size={28} />
              <div className={classes.headText}>
                <div className={classes.line}>
                  <UnstyledButton className={classes.sender} aria-expanded={open} onClick={toggle}>
                    <bdi>{name}</bdi>
                  </UnstyledButton>
                  {open && m.from[0]?.name && <span className={classes.email}>{m.from[0].email}</span>}
                  <time className={classes.time} dateTime={m.date} title={fullTime(m.date)}>
                    {dateAndTime(m.date)}
                  </time>
                </div>
                {open ? (
                  <Headers mail={m} owner={owner} />
                ) : (
                  <span className={classes.snippet} dir="auto">
                    {m.snippet}
                  </span>
                )}
              </div>
              {open && children(m)}
            </div>
            {open && (
              <div className={classes.content}>
                <MailFrame mail={m} {...(isLast && { shown: show })} />
                <Files mail={m} />
              </div>
            )}
          </article>
        );
      })}
    </div>
  );
}

/** Whom a mail is for, with what else its reader should know. */
function Headers({ mail, owner }: { mail: Mail; owner: string }) {
  const replies = mail.reply_to.filter((a) => !mail.from.some((f) => f.email === a.email));
  return (
    <dl className={classes.headers}>
      <Line name={t({ message: "To", context: "email" })} list={mail.to} owner={owner} />
      <Line name={t({ message: "Cc", context: "email" })} list={mail.cc} owner={owner} />
      <Line name={t({ message: "Reply to", context: "email" })} list={replies} owner={owner} />
      <div>
        <dt>{t`Subject`}</dt>
        <dd dir="auto">{mail.subject || t`(no subject)`}</dd>
      </div>
    </dl>
  );
}

function Line({ name, list, owner }: { name: string; list: MailAddress[]; owner: string }) {
  if (list.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {list.map((a, i) => (
          <span key={i} title={a.email}>
            {i > 0 && ", "}
            <bdi>{a.email.toLowerCase() === owner ? t({ message: "me", context: "recipient" }) : a.name ? `${a.name} <${a.email}>` : a.email}</bdi>
          </span>
        ))}
      </dd>
    </div>
  );
}

function Answers({ mail, write }: { mail: Mail; write: (kind: AnswerKind) => void }) {
  const [source, setSource] = useState(false);
  return (
    <>
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <ActionIcon aria-label={t`More actions`}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {answers.map((a) => (
            <Menu.Item key={a.kind} leftSection={<a.icon size={15} aria-hidden />} onClick={() => write(a.kind)}>
              {i18n._(a.label)}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconCode size={15} aria-hidden />} onClick={() => setSource(true)}>
            {t`Show source`}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog opened={source} onClose={() => setSource(false)} title={t`Email source`} size="xl">
        <Source id={mail.id} />
      </Dialog>
    </>
  );
}

function Source({ id }: { id: number }) {
  const source = useQuery(mailSourceQuery(id));
  if (source.isError) return <Failure error={source.error} />;
  if (source.isPending) return <Loading />;
  return (
    <pre className={classes.source} tabIndex={0}>
      {source.data}
    </pre>
  );
}

function Files({ mail }: { mail: Mail }) {
  if (mail.files.length === 0) return null;
  return (
    <ul className={classes.files} aria-label={t`Files`}>
      {mail.files.map((f) => (
        <li key={f.number}>
          <a className={classes.file} href={mailFile(mail.id, f)} download={f.name}>
            <IconFile size={16} stroke={1.5} aria-hidden />
            <span className={classes.fileName} dir="auto">
              {f.name}
            </span>
            <Text span size="xs" c="dimmed">
              {size(f.size)}
            </Text>
          </a>
        </li>
      ))}
    </ul>
  );
}
