import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

import { IconChartLine, IconInbox, IconMail, IconMessages, IconRocket, IconSettings, IconSpeakerphone, IconUsers, type TablerIcon } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { startLive, useConnected } from "../data/live";
import { mailboxesQuery } from "../data/mailbox";
import { meQuery, useIsAdmin } from "../data/me";
import { bringBackUnsent, followUnsent } from "../data/messages";
import { knownRequest, nameOf } from "../data/requests";
import { sandboxQuery } from "../data/sandbox";
import { Failure } from "../parts/states";
import { Tip } from "../parts/Tip";
import { tellUnsent } from "../tell";
import { Bell } from "./Bell";
import { Keys, useCommands, useKeys } from "./commands";
import classes from "./Frame.module.css";
import { KeyHelp } from "./KeyHelp";
import { Palette } from "./Palette";
import { PersonMenu } from "./PersonMenu";
import { SignInAgain } from "./SignInAgain";

type Place = { to: "/requests" | "/customers" | "/announcements" | "/insights" | "/sandbox" | "/mailbox" | "/settings"; label: MessageDescriptor; icon: TablerIcon; keys: string };

const inbox: Place = { to: "/requests", label: msg`Inbox`, icon: IconInbox, keys: "g i" };
const sandbox: Place = { to: "/sandbox", label: msg`Sandbox`, icon: IconMessages, keys: "g s" };
const firstSteps: Place = { ...sandbox, label: msg`First steps`, icon: IconRocket };
const mailbox: Place = { to: "/mailbox", label: msg`Mailbox`, icon: IconMail, keys: "g m" };
const settings: Place = { to: "/settings", label: msg`Settings`, icon: IconSettings, keys: "g ," };
const places: Place[] = [
  inbox,
  { to: "/customers", label: msg`Customers`, icon: IconUsers, keys: "g c" },
  { to: "/announcements", label: msg`Announcements`, icon: IconSpeakerphone, keys: "g a" },
  { to: "/insights", label: msg`Insights`, icon: IconChartLine, keys: "g d" },
];

/** The frame around every screen: the rail, the notice of a lost connection, the palette and the keys. */
export function Frame() {
  const client = useQueryClient();
  const me = useQuery(meQuery);
  const connected = useConnected();
  const navigate = useNavigate();
  // Of the path only that: the frame stays as it is while people go from request to request.
  const screen = useRouterState({ select: (s) => `/${s.location.pathname.split("/")[1]}` });
  const sandboxState = useQuery(sandboxQuery).data;
  const hasSandbox = sandboxState?.connected ?? false;
  // Until a chat is connected, whoever can connect one finds the way.
  const mustChoose = useIsAdmin() && sandboxState?.offered === true;
  // The mailbox is part of the demo, which has the sandbox, too. Other servers are not asked.
  const hasMailbox = Boolean(useQuery({ ...mailboxesQuery, enabled: hasSandbox }).data);
  const [open, setOpen] = useState<"palette" | "keys" | null>(null);

  useEffect(() => startLive(client), [client]);
  const known = me.isSuccess;
  useEffect(() => {
    if (!known) return;
    void bringBackUnsent().then((found) => {
      const elsewhere = found.filter((m) => knownRequest(client, location.pathname.split("/")[2] ?? "") !== m.requestId);
      if (elsewhere[0]) tellUnsent(elsewhere.length, () => void navigate({ to: "/requests/$id", params: { id: nameOf(client, elsewhere[0]!.requestId) } }));
    });
    return followUnsent();
  }, [client, known, navigate]);
  useKeys();
  const shown: Place[] = [...places, ...(hasSandbox ? [sandbox] : mustChoose ? [firstSteps] : []), ...(hasMailbox ? [mailbox] : []), settings];
  useCommands([
    ...shown.map((p) => {
      const place = i18n._(p.label);
      return { id: p.to, label: t`Go to ${place}`, keys: p.keys, group: t`Go to`, run: () => void navigate({ to: p.to }) };
    }),
    { id: "palette", label: t`Command palette`, keys: "mod+k", group: t`Help`, keyOnly: true, opens: true, run: () => setOpen("palette") },
    { id: "keys", label: t`Keyboard shortcuts`, keys: "?", group: t`Help`, opens: true, run: () => setOpen("keys") },
  ]);

  if (me.isError && !me.data) return <Failure error={me.error} retry={() => void me.refetch()} />;
  return (
    <div className={classes.frame}>
      <nav className={classes.rail} aria-label={t({ message: "Main", context: "navigation" })}>
        <img src="/icon.svg" alt="" width={28} height={28} className={classes.mark} />
        {shown.map((p) => (
          <Tip
            key={p.to}
            position="right"
            label={
              <>
                {i18n._(p.label)} <Keys keys={p.keys} />
              </>
            }
          >
            <Link to={p.to} aria-label={i18n._(p.label)} className={`${classes.place} ${p === settings ? classes.end : ""}`} {...(screen === p.to && { "data-here": true, "aria-current": "page" })}>
              <p.icon size={20} stroke={1.7} aria-hidden />
            </Link>
          </Tip>
        ))}
        <Bell place={classes.place!} />
        <PersonMenu showKeys={() => setOpen("keys")} />
      </nav>
      <div className={classes.screen}>
        {!connected && (
          <div className={classes.notice} role="status">
            {t`Connection lost. What you see may be out of date. What you write is saved in this browser.`}
          </div>
        )}
        <main id="screen" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Palette opened={open === "palette"} close={() => setOpen(null)} />
      <KeyHelp opened={open === "keys"} close={() => setOpen(null)} />
      {me.data && <SignInAgain me={me.data} />}
    </div>
  );
}
