// Quick replies are kept as HTML and written here as plain text: a blank line
// between paragraphs, a line end within one.

const letters: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function htmlOf(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replace(/[&<>"]/g, (c) => letters[c] ?? c).replaceAll("\n", "<br>")}</p>`)
    .join("");
}

/** Parsed apart from the page, so that nothing in it runs or is fetched. */
function parsed(html: string): HTMLElement {
  return new DOMParser().parseFromString(html, "text/html").body;
}

export function textOf(html: string): string {
  const body = parsed(html);
  for (const br of body.querySelectorAll("br")) br.replaceWith("\n");
  const blocks = [...body.childNodes].map((n) =>
    n instanceof HTMLUListElement || n instanceof HTMLOListElement ? [...n.children].map((item) => `- ${item.textContent}`).join("\n") : (n.textContent ?? ""),
  );
  return blocks.filter((b) => b.trim() !== "").join("\n\n");
}

/** Whether it has more than paragraphs: plain text would lose that. */
export function isFormatted(html: string): boolean {
  return parsed(html).querySelector(":not(p, br)") !== null;
}
