// What the editor knows beyond plain formatting: people who are mentioned, texts
// that are offered while typing, and the key that sends.
import { type Editor, Extension, Node, type Range } from "@tiptap/core";
import { PluginKey } from "@tiptap/pm/state";
import Suggestion from "@tiptap/suggestion";

/** Something is to be offered for what was typed after a sign. */
export type Asked = {
  of: "people" | "quick replies";
  typed: string;
  /** Where it was typed, on the screen. */
  place: () => DOMRect | null;
  /** Puts what was chosen in the place of what was typed. */
  put: (content: Parameters<Editor["commands"]["insertContent"]>[0]) => void;
};

/** What the extensions ask of the component that has the editor. */
export type Desk = {
  offer: (asked: Asked | null) => void;
  /** Whether the list of offers handles this key, given what is typed so far. */
  takeKey: (event: KeyboardEvent, asked: Asked) => boolean;
  send: () => void;
};

/** A person, written as the API has it: `<span data-user="U1">@Mira</span>`. */
export const Person = Node.create({
  name: "person",
  group: "inline",
  inline: true,
  atom: true,
  addAttributes: () => ({ id: { default: "" }, name: { default: "" } }),
  parseHTML: () => [{ tag: "span[data-user]", getAttrs: (e) => ({ id: e.getAttribute("data-user"), name: (e.textContent ?? "").replace(/^@/, "") }) }],
  renderHTML: ({ node }) => ["span", { "data-user": node.attrs.id as string }, `@${node.attrs.name as string}`],
  renderText: ({ node }) => `@${node.attrs.name as string}`,
});

/** Offers something for what is typed after a sign. */
function offers(name: string, char: string, of: Asked["of"], desk: () => Desk) {
  return Extension.create({
    name,
    addProseMirrorPlugins() {
      const { editor } = this;
      const pluginKey = new PluginKey<{ query: string | null; range: Range }>(name);
      const asked = (p: { query: string | null; range: Range; clientRect?: (() => DOMRect | null) | null }): Asked => ({
        of,
        typed: p.query ?? "",
        place: () => p.clientRect?.() ?? null,
        put: (content) => editor.chain().focus().deleteRange(p.range).insertContent(content).run(),
      });
      return [
        Suggestion({
          editor,
          char,
          pluginKey,
          items: () => [], // the list that is shown looks for them itself
          render: () => ({
            onStart: (p) => desk().offer(asked(p)),
            onUpdate: (p) => desk().offer(asked(p)),
            // What is typed may be ahead of what is drawn.
            onKeyDown: ({ event, view }) => desk().takeKey(event, asked(pluginKey.getState(view.state)!)),
            onExit: () => desk().offer(null),
          }),
        }),
      ];
    },
  });
}

export const ourExtensions = (desk: () => Desk) => [
  Person,
  offers("people", "@", "people", desk),
  offers("quickReplies", ";", "quick replies", desk),
  Extension.create({
    name: "send",
    priority: 1000, // before the one that makes a new line of it
    addKeyboardShortcuts: () => ({
      "Mod-Enter": () => {
        desk().send();
        return true;
      },
      // Out of the text, so that single keys do something again.
      // At once: the editor's own command waits for a frame, and the next key would still be text.
      Escape: ({ editor }) => {
        editor.view.dom.blur();
        return true;
      },
    }),
  }),
];
