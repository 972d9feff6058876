import { t } from "@lingui/core/macro";
import { ActionIcon, Button, CloseButton, SegmentedControl, Select, Text } from "@mantine/core";
import { IconMail, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type Mailbox as Box, type Mailboxes, type MailBox, mailThreadsQuery, mailboxesQuery, useMailStream } from "../../data/mailbox";
import { prefer, usePreferences } from "../../data/preferences";
import { Keys, useCommands } from "../../frame/commands";
import { useIsPhone } from "../../parts/Panes";
import { Empty, Failure, Loading } from "../../parts/states";
import { Tip } from "../../parts/Tip";
import { Newest } from "../sandbox/Newest";
import { Composer } from "./Composer";
import classes from "./Mailbox.module.css";
import { People, nameOf } from "./People";
import { Thread } from "./Thread";
import { Threads } from "./Threads";
import type { Place } from "./place";

const route = getRouteApi("/frame/mailbox");

/** A mail program, in which one is a customer: what is written here reaches the inbox by mail. */
export function Mailbox() {
  const boxes = useQuery(mailboxesQuery);
  if (boxes.isError) return <Failure whole error={boxes.error} retry={() => void boxes.refetch()} />;
  if (boxes.isPending) return <Loading />;
  if (!boxes.data)
    return (
      <Empty icon={IconMail} title={t`This server has no mailboxes`}>
        <h1 className="visually-hidden">{t`Mailbox`}</h1>
        {t`Mailboxes are part of the demo. There you can write as a customer without an email account.`}
      </Empty>
    );
  return <Program boxes={boxes.data} />;
}

function Program({ boxes }: { boxes: Mailboxes }) {
  useMailStream();
  const place = route.useSearch();
  const navigate = useNavigate();
  const phone = useIsPhone();
  const who = boxes.people.find((p) => p.email === place.as) ?? (place.as ? { email: place.as, name: "", company: "", unread: 0 } : boxes.people[0]);
  const owner = who?.email ?? "";
  const box = place.box ?? "inbox";
  const threads = useQuery({ ...mailThreadsQuery(owner, box), enabled: owner !== "" });
  const go = (to: Place) => void navigate({ to: "/mailbox", search: { ...(place.as && { as: place.as }), ...(place.box && { box: place.box }), ...to } });
  const thread = Number(place.thread) || 0;
  const step = (by: 1 | -1) => {
    const list = threads.data ?? [];
    const at = list.findIndex((t) => t.id === thread);
    const next = at < 0 ? list[0] : list[at + by];
    if (next) go({ thread: String(next.id) });
  };
  const write = () => go({ ...(place.thread && { thread: place.thread }), write: "new" });
  useCommands([
    { id: "mailbox-new", label: t`New email`, keys: "c", group: t`Mailbox`, run: write },
    { id: "mailbox-next", label: t`Next thread`, keys: "j", group: t`Mailbox`, keyOnly: true, run: () => step(1) },
    { id: "mailbox-previous", label: t`Previous thread`, keys: "k", group: t`Mailbox`, keyOnly: true, run: () => step(-1) },
    { id: "mailbox-inbox", label: t`Show inbox`, keys: "shift+i", group: t`Mailbox`, run: () => choose("inbox") },
    { id: "mailbox-sent", label: t`Show sent emails`, keys: "shift+s", group: t`Mailbox`, run: () => choose("sent") },
  ]);
  if (!who) return <Empty title={t`No mailboxes yet`} />;
  const choose = (now: MailBox) => void navigate({ to: "/mailbox", search: { ...(place.as && { as: place.as }), ...(now === "sent" && { box: now }) } });
  const be = (email: string) => void navigate({ to: "/mailbox", search: { as: email, ...(place.box && { box: place.box }) } });
  const { unread } = who;
  const name = nameOf(who);
  const open = place.write === "new" || thread !== 0;
  const list = (
    <section className={classes.threads} aria-label={box === "sent" ? t`Sent emails` : t({ message: "Inbox", context: "email" })}>
      <div className={classes.bar}>
        {phone && <PersonSelect people={boxes.people} who={who} be={be} />}
        <SegmentedControl
          size="xs"
          aria-label={t`Folder`}
          value={box}
          onChange={(v) => choose(v as MailBox)}
          data={[
            { value: "inbox", label: unread > 0 ? t({ message: `Inbox (${unread})`, context: "email" }) : t({ message: "Inbox", context: "email" }) },
            { value: "sent", label: t({ message: "Sent", context: "email folder" }) },
          ]}
        />
        {phone ? (
          <ActionIcon variant="filled" color="accent" aria-label={t`New email`} onClick={write}>
            <IconPencil size={16} />
          </ActionIcon>
        ) : (
          <Tip
            label={
              <>
                {t`New email`} <Keys keys="c" />
              </>
            }
          >
            <Button className={classes.new} leftSection={<IconPencil size={15} aria-hidden />} onClick={write}>
              {t`New email`}
            </Button>
          </Tip>
        )}
      </div>
      <Hint />
      {threads.isError ? (
        <Failure error={threads.error} retry={() => void threads.refetch()} />
      ) : threads.isPending ? (
        <Loading rows={4} />
      ) : (
        <Threads threads={threads.data} owner={owner} box={box} chosen={thread} choose={(id) => go({ thread: String(id) })} />
      )}
    </section>
  );
  return (
    <div className={classes.page}>
      <h1 className="visually-hidden">{t`Mailbox`}</h1>
      {!phone && <People people={boxes.people} chosen={who.email} choose={be} />}
      {!(phone && open) && list}
      {(!phone || open) && (
        <div className={classes.reading}>
          {place.write === "new" ? (
            <Composer key={owner} boxes={boxes} owner={owner} kind="new" close={() => go({ ...(place.thread && { thread: place.thread }) })} />
          ) : thread !== 0 ? (
            <Thread
              key={`${owner} ${thread}`}
              boxes={boxes}
              owner={owner}
              id={thread}
              writing={place.write && place.mail ? { kind: place.write, mail: Number(place.mail) } : null}
              write={(w) => go({ thread: String(thread), ...(w && { write: w.kind, mail: String(w.mail) }) })}
              close={() => go({})}
            />
          ) : (
            <Empty icon={IconMail} title={threads.data?.length ? t`No email selected` : t`${name} has no email here yet`}>
              {threads.data?.length ? t`Choose one from the list.` : box === "inbox" ? t`Write to support. The answer arrives here.` : t`Emails sent from this mailbox appear here.`}
            </Empty>
          )}
        </div>
      )}
      <Newest />
    </div>
  );
}

function PersonSelect({ people, who, be }: { people: Box[]; who: Box; be: (email: string) => void }) {
  const all = people.some((p) => p.email === who.email) ? people : [...people, who];
  return (
    <Select
      className={classes.person}
      aria-label={t`Mailbox owner`}
      size="xs"
      allowDeselect={false}
      comboboxProps={{ width: 280, position: "bottom-start" }}
      data={all.map((p) => ({ value: p.email, label: nameOf(p) + (p.unread > 0 ? ` (${p.unread})` : "") }))}
      value={who.email}
      onChange={(email) => email && be(email)}
    />
  );
}

const hint = "mailbox-hint";

/** What to do here, until it was read. */
function Hint() {
  const { folded } = usePreferences();
  if (folded[hint]) return null;
  return (
    <div className={classes.hint} role="note">
      <Text size="sm">{t`You are a customer here. Write to support and watch the request and the answer arrive. Email to nobody@ is rejected.`}</Text>
      <CloseButton size="sm" aria-label={t`Do not show this again`} onClick={() => prefer({ folded: { ...folded, [hint]: true } })} />
    </div>
  );
}
