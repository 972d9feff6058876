// Slack's way to write: *bold*, _italic_, ~struck~, `code`, <address|words>, <@person>.
// It becomes elements, never HTML, whatever is written in it.
import { t } from "@lingui/core/macro";
import { type ReactNode, createContext, useContext } from "react";
import type { SlackChannel, SlackUser } from "../../data/slack";
import { withEmoji } from "../../parts/emoji";
import classes from "./Message.module.css";

export type Names = { users: Map<string, SlackUser>; channels: SlackChannel[] };

/** Who and what is named in messages. */
export const NamesContext = createContext<Names>({ users: new Map(), channels: [] });

export function userName(user: SlackUser | undefined): string | undefined {
  return user && (user.profile.real_name || user.real_name || user.name);
}

// What is between the signs, and signs only where a word begins or ends.
const code = /```\n?([\s\S]+?)\n?```|`([^`\n]+)`/;
const marked = /<([^<>]+)>/;
const signs = /(^|[^\p{L}\p{N}])([*_~])(\S|\S[^\n]*?\S)\2(?![\p{L}\p{N}])/u;

export function Mrkdwn({ text }: { text: string }) {
  const names = useContext(NamesContext);
  return (
    <div className={classes.text} dir="auto">
      {blocks(text, names)}
    </div>
  );
}

/** Code is taken as it is written; around it, lines may be quoted. */
function blocks(text: string, names: Names): ReactNode {
  const parts: ReactNode[] = [];
  let rest = text;
  for (let at = code.exec(rest); at; at = code.exec(rest)) {
    parts.push(<Lines key={parts.length} text={rest.slice(0, at.index)} names={names} />);
    parts.push(at[1] !== undefined ? <pre key={parts.length}>{unescaped(at[1])}</pre> : <code key={parts.length}>{unescaped(at[2] ?? "")}</code>);
    rest = rest.slice(at.index + at[0].length);
  }
  parts.push(<Lines key={parts.length} text={rest} names={names} />);
  return parts;
}

const quoted = /^(?:&gt; ?.*(?:\n|$))+/m;

function Lines({ text, names }: { text: string; names: Names }): ReactNode {
  const quote = quoted.exec(text);
  if (!quote) return <Inline text={text} names={names} />;
  return (
    <>
      <Inline text={text.slice(0, quote.index)} names={names} />
      <blockquote>
        <Inline text={quote[0].replaceAll(/^&gt; ?/gm, "").trimEnd()} names={names} />
      </blockquote>
      <Lines text={text.slice(quote.index + quote[0].length)} names={names} />
    </>
  );
}

function Inline({ text, names }: { text: string; names: Names }): ReactNode {
  const link = marked.exec(text);
  const sign = signs.exec(text);
  if (sign && (!link || sign.index <= link.index)) {
    const Tag = sign[2] === "*" ? "strong" : sign[2] === "_" ? "em" : "s";
    return (
      <>
        <Inline text={text.slice(0, sign.index) + (sign[1] ?? "")} names={names} />
        <Tag>
          <Inline text={sign[3] ?? ""} names={names} />
        </Tag>
        <Inline text={text.slice(sign.index + sign[0].length)} names={names} />
      </>
    );
  }
  if (!link) return withEmoji(unescaped(text));
  return (
    <>
      <Inline text={text.slice(0, link.index)} names={names} />
      <Marked what={link[1] ?? ""} names={names} />
      <Inline text={text.slice(link.index + link[0].length)} names={names} />
    </>
  );
}

/** What stands between < and >. */
function Marked({ what, names }: { what: string; names: Names }) {
  const [target = "", words] = what.split("|", 2);
  const said = words === undefined ? undefined : unescaped(words);
  switch (target[0]) {
    case "@":
      return <span className={classes.mention}>@{userName(names.users.get(target.slice(1))) ?? said ?? t`someone`}</span>;
    case "#":
      return <span className={classes.mention}>#{names.channels.find((c) => c.id === target.slice(1))?.name ?? said ?? t`a channel`}</span>;
    case "!":
      return <span className={classes.mention}>{said ?? `@${target.slice(1).split("^")[0]}`}</span>;
  }
  const address = unescaped(target);
  if (!/^(https?:|mailto:|tel:)/i.test(address)) return said ?? address;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {said ?? address.replace(/^mailto:/i, "")}
    </a>
  );
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** What somebody typed, as Slack wants it: mentions of people by their names become theirs. */
export function toMrkdwn(typed: string, users: Map<string, SlackUser>): string {
  let text = typed.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  // Longer names first: one may be the beginning of another.
  const named = [...users.values()]
    .map((u) => [u.id, userName(u) ?? ""] as const)
    .filter(([, name]) => name)
    .sort((a, b) => b[1].length - a[1].length);
  for (const [id, name] of named) text = text.replaceAll(`@${name}`, `<@${id}>`);
  return text;
}

/** The other way round, for changing what was said. */
export function toTyped(text: string, names: Names): string {
  return unescaped(
    text.replaceAll(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_, target: string, words?: string) => {
      if (target.startsWith("@")) return `@${userName(names.users.get(target.slice(1))) ?? target.slice(1)}`;
      if (target.startsWith("#")) return `#${names.channels.find((c) => c.id === target.slice(1))?.name ?? words ?? ""}`;
      return words ?? target;
    }),
  );
}
