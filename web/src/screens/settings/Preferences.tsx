import { plural, t } from "@lingui/core/macro";
import { NativeSelect, Radio, SegmentedControl, Slider, Stack, Switch, Text, useMantineColorScheme } from "@mantine/core";
import { useState } from "react";
import { prefer, usePreferences } from "../../data/preferences";
import { SavedMark } from "../../parts/Saved";
import { isLanguage, languages, wanted } from "../../texts";
import { SettingsColumn, Section } from "./Column";

/** How it looks and feels. */
export function Preferences() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { language: chosen, density, timeline, undoSeconds } = usePreferences();
  const [saved, setSaved] = useState(false);
  const schemes = [
    { value: "auto", label: t({ message: "System", context: "theme" }) },
    { value: "light", label: t({ message: "Light", context: "theme" }) },
    { value: "dark", label: t({ message: "Dark", context: "theme" }) },
  ] as const;
  const change = (make: () => void) => {
    make();
    setSaved(true);
  };
  const ofBrowser = languages[wanted(null)];
  const speak = (name: string) => {
    prefer({ language: isLanguage(name) ? name : null });
    location.reload();
  };
  return (
    <SettingsColumn title={t`Preferences`} about={t`Yours on every device. Only the theme is saved in this browser.`} action={<SavedMark state={saved ? "saved" : "idle"} />}>
      <Section title={t`Language`} about={t`The page reloads. Your drafts are kept.`}>
        <NativeSelect aria-label={t`Language`} w="fit-content" value={chosen ?? ""} onChange={(e) => speak(e.currentTarget.value)}>
          <option value="">{t`As the browser: ${ofBrowser}`}</option>
          {Object.entries(languages).map(([name, own]) => (
            <option key={name} value={name} lang={name}>
              {own}
            </option>
          ))}
        </NativeSelect>
      </Section>
      <Section title={t`Theme`}>
        <Radio.Group aria-label={t`Theme`} value={colorScheme} onChange={(v) => change(() => setColorScheme(schemes.find((s) => s.value === v)?.value ?? "auto"))}>
          <Stack gap="xs">
            {schemes.map((s) => (
              <Radio key={s.value} value={s.value} label={s.label} />
            ))}
          </Stack>
        </Radio.Group>
      </Section>
      <Section title={t`List density`}>
        <SegmentedControl
          aria-label={t`List density`}
          w="fit-content"
          value={density}
          onChange={(v) => change(() => prefer({ density: v === "compact" ? "compact" : "comfortable" }))}
          data={[
            { value: "comfortable", label: t`Comfortable` },
            { value: "compact", label: t`Compact` },
          ]}
        />
      </Section>
      <Section title={t`Conversation`} about={t`Shows between the messages who assigned, solved or moved a request, and which SLA targets were missed.`}>
        <Switch label={t`Show what happened`} checked={timeline} onChange={(e) => change(() => prefer({ timeline: e.currentTarget.checked }))} />
      </Section>
      <Section title={t`Undo send`} about={t`After you press Send, a message waits this long so you can undo it. It is still sent if you close the page.`}>
        <Slider
          thumbLabel={t`Seconds to undo a message`}
          maw={420}
          mb="md"
          min={0}
          max={60}
          value={undoSeconds}
          onChange={(v) => change(() => prefer({ undoSeconds: v }))}
          marks={[
            { value: 0, label: t`0 s` },
            { value: 30, label: t`30 s` },
            { value: 60, label: t`60 s` },
          ]}
        />
        <Text size="sm">{undoSeconds === 0 ? t`Messages are sent immediately.` : t`Messages are sent after ${plural(undoSeconds, { one: "# second", other: "# seconds" })}.`}</Text>
      </Section>
    </SettingsColumn>
  );
}
