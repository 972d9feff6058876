import { Fragment } from "react";

const escapes: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&#34;": '"', "&quot;": '"', "&#39;": "'" };

/** A search highlight: escaped text with <mark> around the found words. It is parsed here and never inserted as HTML. */
export function Marked({ html }: { html: string }) {
  return html.split(/<mark>(.*?)<\/mark>/s).map((part, i) => {
    const text = part.replace(/&(?:lt|gt|amp|quot|#34|#39);/g, (e) => escapes[e] ?? e);
    return i % 2 === 1 ? <mark key={i}>{text}</mark> : <Fragment key={i}>{text}</Fragment>;
  });
}
