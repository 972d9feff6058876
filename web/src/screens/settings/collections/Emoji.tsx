import { t } from "@lingui/core/macro";
import { TagsInput } from "@mantine/core";
import { useState } from "react";
import { type Collection, changeCollection } from "../../../data/collections";
import { SavedField } from "../../../parts/SavedField";
import { Section } from "../Column";
import { type EmojiRule, emojiRules } from "./words";

/** What a reaction with an emoji does to a request. */
export function Emoji({ collection }: { collection: Collection }) {
  return (
    <Section title={t`Emoji`} about={t`Responders can trigger actions by reacting in chat. Type an emoji name and press Enter. An action without emoji is off.`}>
      {(Object.keys(emojiRules()) as EmojiRule[]).map((rule) => (
        <Names key={rule} collection={collection} rule={rule} />
      ))}
    </Section>
  );
}

/** A name as the API writes it, however it was typed. */
function plain(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^:+|:+$/g, "");
}

function Names({ collection, rule }: { collection: Collection; rule: EmojiRule }) {
  const [taken, setTaken] = useState<string | null>(null);
  const rules = emojiRules();
  const { label, about } = rules[rule];
  return (
    <SavedField value={collection.emoji_config[rule]} save={(names) => changeCollection(collection.id, { emoji_config: { [rule]: names } })}>
      {({ value, set, error }) => (
        <TagsInput
          label={label}
          description={about}
          placeholder={value.length === 0 ? t`Off` : ""}
          value={value}
          error={taken ?? error}
          maxTags={20}
          splitChars={[",", " "]}
          onChange={(wanted) => {
            const names = [...new Set(wanted.map(plain))].filter((n) => n !== "");
            // An emoji can do one thing only; say which it does, before the server refuses.
            const other = (Object.keys(rules) as EmojiRule[]).find((r) => r !== rule && names.some((n) => collection.emoji_config[r].includes(n)));
            const use = other && rules[other].label;
            setTaken(use ? t`That emoji is already used for “${use}”.` : null);
            if (!other) set(names);
          }}
        />
      )}
    </SavedField>
  );
}
