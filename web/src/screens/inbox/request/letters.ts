// The mail that an answer becomes, as far as the browser can tell before the server
// writes it: whether it is one, to whom it goes, and what it is called.
import { plural, t } from "@lingui/core/macro";
import { domainOf, nameAndAddress, sameAddress } from "../../../data/addresses";
import type { Collection } from "../../../data/collections";
import type { MessageEmail, Participant } from "../../../data/mail";
import type { Message, Request } from "../../../data/requests";

export type Letter = {
  /** As whom it is sent; null where that is not known to who looks. */
  from: { name: string; email: string } | null;
  to: Participant[];
  cc: Participant[];
  /** Those whom a mail named, and who get nothing until somebody lets them in. */
  asked: Participant[];
  subject: string;
  signature: string;
  /** What was asked, and by whom: the first mail quotes it. */
  quoted: { author: string; message: Message } | null;
  /** Nothing shows that the requester wrote the mails that came. */
  isUnverified: boolean;
  /** Why nothing is sent, in a sentence; null if it is sent. */
  problem: string | null;
};

/** Whether a request may be one by mail: mail came into it, or the requester's address is known. Then its participants say whether it is. */
export function mayBeByMail(request: Request, collection: Collection | undefined, accountHasMail: boolean): boolean {
  if ((request.messages ?? []).some((m) => m.email) || collection?.email_config) return true;
  return accountHasMail && request.author_email !== null;
}

type Known = {
  request: Request;
  collection: Collection | undefined;
  /** The collection as which answers are written: undefined if who looks may not see it, null if there is none. */
  sender: Collection | null | undefined;
  participants: Participant[];
  /** The address of who writes. */
  writer: string | null;
  /** Whether the server sends mail. */
  sends: boolean;
};

/** The mail that an answer becomes; null if the request has nothing to do with mail. */
export function letterOf({ request, collection, sender, participants, writer, sends }: Known): Letter | null {
  const messages = request.messages ?? [];
  const mailed = messages.some((m) => m.email) || collection?.kind === "email";
  // One who reads elsewhere is not among them.
  const requester = participants.filter((p) => p.role === "requester");
  if (!mailed && (sender === null || requester.length === 0)) return null;
  const others = participants.filter((p) => p.role === "cc");
  const get = (p: Participant) => p.status === "active" && !sameAddress(p.email, writer);
  let to = requester.filter(get);
  let cc = others.filter(get);
  if (to.length === 0) [to, cc] = [cc, []];
  const config = sender?.email_config;
  const came = messages.flatMap((m) => (m.email?.direction === "in" ? [m.email] : []));
  const asked = messages.find((m) => !m.is_responder && !m.is_private);
  return {
    from: config ? { name: config.from_name, email: config.verified ? config.address : `no-reply@${domainOf(config.inbound_address ?? "")}` } : null,
    to,
    cc,
    asked: others.filter((p) => p.status === "asked"),
    subject: subjectOf(request),
    signature: config?.signature_html ?? "",
    quoted: asked && !messages.some((m) => m.email?.direction === "out") ? { author: request.author.name ?? request.author.email ?? t`the requester`, message: asked } : null,
    isUnverified: came.length > 0 && came.every((e) => e.status === "unverified"),
    problem: problemOf(sender, sends, to),
  };
}

function problemOf(sender: Known["sender"], sends: boolean, to: Participant[]): string | null {
  if (sender === null) return t`Not sent by mail: the account has no email collection.`;
  if (sender?.email_config?.inbound_address === null) return t`Not sent by mail: the server has no mail domain.`;
  if (!sends) return t`Not sent by mail: the server has no mail relay.`;
  return to.length === 0 ? t`Not sent by mail: nobody here gets mail.` : null;
}

/** The subject of the request's mails: it stays the same in a thread. */
function subjectOf(request: Request): string {
  const mails = (request.messages ?? []).flatMap((m) => (m.email ? [m.email] : []));
  const sent = mails.find((e) => e.direction === "out");
  if (sent) return sent.subject;
  const came = mails.find((e) => e.direction === "in");
  // eslint-disable-next-line lingui/no-unlocalized-strings -- mail programs know this word
  if (came) return `Re: ${came.subject.replace(/^(\s*re\s*:)+\s*/i, "")}`.trim();
  const key = request.tickets.find((t) => t.type === "native")?.key;
  return key ? `${key} ${request.title}` : request.title;
}

/** Names for addresses, by those who take part. */
export function namedBy(participants: Participant[]): (email: string) => string {
  return (email) => nameAndAddress(participants.find((p) => sameAddress(p.email, email)) ?? { name: null, email });
}

/** Some names in a sentence: all of a few, and how many more of many. */
export function few(names: string[], most = 3): string {
  const last = names.at(-1);
  if (last === undefined) return t`nobody`;
  if (names.length === 1) return last;
  const shown = names.length > most ? names.slice(0, most - 1) : names.slice(0, -1);
  const rest = names.length - shown.length;
  const first = shown.join(", ");
  return rest === 1 ? t`${first} and ${last}` : t`${plural(rest, { one: `${first} and # other`, other: `${first} and # others` })}`;
}

/** What became of a mail, in a few words. */
export function statusName(status: MessageEmail["status"]): string {
  switch (status) {
    case "waiting":
      return t({ message: "waiting to be sent", context: "mail" });
    case "sent":
      return t({ message: "sent", context: "mail" });
    case "perhaps_sent":
      return t({ message: "perhaps sent", context: "mail" });
    case "failed":
      return t({ message: "not delivered", context: "mail" });
    case "received":
      return t({ message: "received", context: "mail" });
    case "unverified":
      return t({ message: "unverified", context: "mail" });
  }
}

/** What somebody can do about a mail that may not have arrived, in plain sentences; null if nothing has to be done. */
export function troubleOf(email: MessageEmail): string | null {
  const of = (status: MessageEmail["status"]) => email.recipients.filter((r) => r.status === status);
  const failed = of("failed");
  const perhaps = of("perhaps_sent");
  const said: string[] = [];
  if (failed.length > 0) {
    const why = ended(failed[0]!.error ?? email.error ?? t`The mail server gave no reason`);
    const names = few(failed.map((r) => r.email));
    said.push(t`The mail to ${names} was not delivered. ${why} If the address is right, send it again.`);
  }
  if (perhaps.length > 0) {
    const names = few(perhaps.map((r) => r.email));
    said.push(t`The mail to ${names} may not have been sent: the connection broke off before the mail server answered. If they did not get it, send it again.`);
  }
  return said.length > 0 ? said.join(" ") : null;
}

const ended = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);
