import { Radio, SegmentedControl, Slider, Stack, Switch, Text, useMantineColorScheme } from "@mantine/core";
import { useState } from "react";
import { prefer, usePreferences } from "../../data/preferences";
import { SavedMark } from "../../parts/Saved";
import { SettingsColumn, Section } from "./Column";

const schemes = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** How it looks and feels. */
export function Preferences() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { density, timeline, undoSeconds } = usePreferences();
  const [saved, setSaved] = useState(false);
  const change = (make: () => void) => {
    make();
    setSaved(true);
  };
  return (
    <SettingsColumn title="Preferences" about="Yours on every device, except for the theme, which is saved in this browser only." action={<SavedMark state={saved ? "saved" : "idle"} />}>
      <Section title="Theme">
        <Radio.Group aria-label="Theme" value={colorScheme} onChange={(v) => change(() => setColorScheme(schemes.find((s) => s.value === v)?.value ?? "auto"))}>
          <Stack gap="xs">
            {schemes.map((s) => (
              <Radio key={s.value} value={s.value} label={s.label} />
            ))}
          </Stack>
        </Radio.Group>
      </Section>
      <Section title="List density">
        <SegmentedControl
          aria-label="List density"
          w="fit-content"
          value={density}
          onChange={(v) => change(() => prefer({ density: v === "compact" ? "compact" : "comfortable" }))}
          data={[
            { value: "comfortable", label: "Comfortable" },
            { value: "compact", label: "Compact" },
          ]}
        />
      </Section>
      <Section title="Conversation" about="Who assigned, solved or moved a request, and SLA targets that were missed, between the messages.">
        <Switch label="Show what happened" checked={timeline} onChange={(e) => change(() => prefer({ timeline: e.currentTarget.checked }))} />
      </Section>
      <Section title="Undo send" about="After you press Send, a message waits this long so you can undo it. It is still sent if you close the page.">
        <Slider
          thumbLabel="Seconds to undo a message"
          maw={420}
          mb="md"
          min={0}
          max={60}
          value={undoSeconds}
          onChange={(v) => change(() => prefer({ undoSeconds: v }))}
          marks={[
            { value: 0, label: "0 s" },
            { value: 30, label: "30 s" },
            { value: 60, label: "60 s" },
          ]}
        />
        <Text size="sm">{undoSeconds === 0 ? "Messages are sent immediately." : `Messages are sent after ${undoSeconds} ${undoSeconds === 1 ? "second" : "seconds"}.`}</Text>
      </Section>
    </SettingsColumn>
  );
}
