// Text that people wrote, in the API's small subset of HTML (docs/formats.md). It is
// turned into elements one by one, so that no other markup can get into the page.
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, memo, useMemo } from "react";
import { teamsQuery, useUser } from "../data/people";
import classes from "./Html.module.css";

/** Shows html of the API. Links open in a new tab; people who are mentioned have their names. */
export const Html = memo(function Html({ html }: { html: string }) {
  const parts = useMemo(() => nodes(new DOMParser().parseFromString(html, "text/html").body, true), [html]);
  return (
    <div className={classes.html} dir="auto">
      {parts}
    </div>
  );
});

const plain = new Set(["p", "strong", "em", "s", "u", "code", "pre", "blockquote", "ul", "li", "mark"]);

// The outermost blocks have each the direction of their own words. What is inside them
// follows, as a list's numbers stand on the side where it begins.
const blocks = new Set(["p", "pre", "blockquote", "ul", "ol"]);

function nodes(parent: Node, outermost = false): ReactNode[] {
  return [...parent.childNodes].map((n, i) => node(n, i, outermost));
}

function node(n: Node, key: number, outermost: boolean): ReactNode {
  if (n.nodeType === Node.TEXT_NODE) return n.textContent;
  if (!(n instanceof Element)) return null;
  const tag = n.localName;
  const dir = outermost && blocks.has(tag) ? { dir: "auto" } : {};
  if (plain.has(tag)) {
    const Tag = tag as "p";
    return (
      <Tag key={key} {...dir}>
        {nodes(n)}
      </Tag>
    );
  }
  switch (tag) {
    case "br":
      return <br key={key} />;
    case "hr":
      return <hr key={key} />;
    case "ol":
      return (
        <ol key={key} {...dir} start={Number(n.getAttribute("start") ?? 1) || 1}>
          {nodes(n)}
        </ol>
      );
    case "a":
      return <HtmlLink key={key} href={n.getAttribute("href") ?? ""} children={nodes(n)} />;
    case "img":
      return <Picture key={key} src={n.getAttribute("src") ?? ""} alt={n.getAttribute("alt") ?? ""} />;
    case "span":
      return <Mention key={key} of={n} />;
    default:
      return <Fragment key={key}>{nodes(n)}</Fragment>; // the text stays
  }
}

function HtmlLink({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?:|mailto:|tel:)/i.test(href)) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function Picture({ src, alt }: { src: string; alt: string }) {
  if (!/^(https:\/\/|\/v1\/rest\/attachments\/\d+$)/.test(src)) return alt;
  return <img src={src} alt={alt} loading="lazy" referrerPolicy="no-referrer" />;
}

function Mention({ of }: { of: Element }) {
  const user = useUser(of.getAttribute("data-user"));
  const teamId = of.getAttribute("data-team"); // the chat system's own
  const team = useQuery({ ...teamsQuery, enabled: teamId !== null }).data?.find((t) => t.source_id === teamId);
  const kind = ["data-user", "data-channel", "data-team", "data-everyone"].some((a) => of.hasAttribute(a));
  const text = of.textContent ?? "";
  if (!kind) return text;
  return <span className={classes.mention}>{user ? `@${user.name}` : team ? `@${team.name}` : text}</span>;
}
