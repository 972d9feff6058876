// The blocks of a card or a form: texts, and what can be pressed or chosen.
import { t } from "@lingui/core/macro";
import { Button, Group, MultiSelect, Select } from "@mantine/core";
import { useContext, useState } from "react";
import type { SlackBlock, SlackElement } from "../../data/slack";
import { withEmoji } from "../../parts/emoji";
import { NamesContext, Mrkdwn, userName } from "./Mrkdwn";
import { useDo } from "./acting";
import classes from "./Message.module.css";

/** Where an element stands: in a message or in a form. */
export type Where = { channel: string; ts: string } | { view: string };

export function Blocks({ blocks, where }: { blocks: SlackBlock[]; where: Where }) {
  return blocks.map((b) => <Block key={b.block_id} block={b} where={where} />);
}

function Block({ block, where }: { block: SlackBlock; where: Where }) {
  switch (block.type) {
    case "header":
      return <div className={classes.header}>{plain(block.text)}</div>;
    case "divider":
      return <hr className={classes.divider} />;
    case "section":
      return (
        <div className={classes.section}>
          <div className={classes.grow}>
            {block.text && <SlackTextShown text={block.text} />}
            {block.fields && (
              <div className={classes.fields}>
                {block.fields.map((f, i) => (
                  <SlackTextShown key={i} text={f} />
                ))}
              </div>
            )}
          </div>
          {block.accessory && <Element element={block.accessory} block={block.block_id} where={where} />}
        </div>
      );
    case "context":
      return <div className={classes.context}>{block.elements?.map((e, i) => typeof e.text === "string" && <Mrkdwn key={i} text={e.text} />)}</div>;
    case "actions":
      return (
        <Group gap={6} my={4}>
          {block.elements?.map((e, i) => (
            <Element key={e.action_id ?? i} element={e} block={block.block_id} where={where} />
          ))}
        </Group>
      );
    default:
      return null; // a text that has no buttons is shown as such, and there are no others
  }
}

function SlackTextShown({ text }: { text: { type: string; text: string } }) {
  return text.type === "mrkdwn" ? (
    <Mrkdwn text={text.text} />
  ) : (
    <div className={classes.text} dir="auto">
      {withEmoji(text.text)}
    </div>
  );
}

export function plain(text: SlackElement["text"]): string {
  return withEmoji(typeof text === "string" ? text : (text?.text ?? ""));
}

/** What can be pressed or chosen. */
function Element({ element, block, where }: { element: SlackElement; block: string; where: Where }) {
  const [busy, setBusy] = useState(false);
  const does = useDo();
  const press = async (value?: string) => {
    setBusy(true);
    await does((slack) => slack.act("press", { ...where, block_id: block, action_id: element.action_id, ...(value !== undefined && { value }) }));
    setBusy(false);
  };
  const label = plain(element.placeholder) || t({ message: "Choose", context: "command" });
  if (element.type === "button") {
    const style = element.style === "primary" ? ({ variant: "filled" } as const) : element.style === "danger" ? ({ variant: "light", color: "red" } as const) : ({ variant: "default" } as const);
    if (element.url && /^https?:/i.test(element.url))
      return (
        <Button component="a" href={element.url} target="_blank" rel="noopener noreferrer" size="compact-sm" {...style}>
          {plain(element.text)}
        </Button>
      );
    return (
      <Button size="compact-sm" {...style} loading={busy} onClick={() => void press()}>
        {plain(element.text)}
      </Button>
    );
  }
  if (element.type.startsWith("multi_")) return <Several element={element} label={label} choose={(v) => void press(v.join(","))} />;
  return <One element={element} label={label} busy={busy} choose={(v) => void press(v)} />;
}

/** What a menu offers. */
export function useOptions(element: SlackElement): { value: string; label: string }[] {
  const { users, channels } = useContext(NamesContext);
  if (element.type.endsWith("users_select")) return [...users.values()].filter((u) => !u.deleted && !u.is_bot).map((u) => ({ value: u.id, label: userName(u) ?? u.id }));
  if (/(channels|conversations)_select$/.test(element.type)) return channels.filter((c) => c.name).map((c) => ({ value: c.id, label: `#${c.name}` }));
  return (element.options ?? []).map((o) => ({ value: o.value, label: plain(o.text) }));
}

function One({ element, label, busy, choose }: { element: SlackElement; label: string; busy: boolean; choose: (value: string) => void }) {
  const data = useOptions(element);
  return (
    <Select
      size="xs"
      w={170}
      aria-label={label}
      placeholder={label}
      disabled={busy}
      searchable={data.length > 8}
      data={data}
      value={element.initial_option?.value ?? element.initial_user ?? element.initial_channel ?? element.initial_conversation ?? null}
      onChange={(v) => v !== null && choose(v)}
    />
  );
}

function Several({ element, label, choose }: { element: SlackElement; label: string; choose: (values: string[]) => void }) {
  const data = useOptions(element);
  return <MultiSelect size="xs" w={220} aria-label={label} placeholder={label} data={data} value={(element.initial_options ?? []).map((o) => o.value)} onChange={choose} />;
}
