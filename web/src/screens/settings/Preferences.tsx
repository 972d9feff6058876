import { Radio, SegmentedControl, Slider, Stack, Text, useMantineColorScheme } from "@mantine/core";
import { useState } from "react";
import { prefer, usePreferences } from "../../data/preferences";
import { SavedMark } from "../../parts/Saved";
import { SettingsColumn, Section } from "./Column";

const schemes = [
  { value: "auto", label: "As this device has it" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** How it looks and feels here; kept in this browser. */
export function Preferences() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { density, undoSeconds } = usePreferences();
  const [saved, setSaved] = useState(false);
  const change = (make: () => void) => {
    make();
    setSaved(true);
  };
  return (
    <SettingsColumn title="Preferences" about="They are kept in this browser: another device has its own." action={<SavedMark state={saved ? "saved" : "idle"} />}>
      <Section title="Colours">
        <Radio.Group aria-label="Colours" value={colorScheme} onChange={(v) => change(() => setColorScheme(schemes.find((s) => s.value === v)?.value ?? "auto"))}>
          <Stack gap="xs">
            {schemes.map((s) => (
              <Radio key={s.value} value={s.value} label={s.label} />
            ))}
          </Stack>
        </Radio.Group>
      </Section>
      <Section title="Rows of lists">
        <SegmentedControl
          aria-label="Rows of lists"
          w="fit-content"
          value={density}
          onChange={(v) => change(() => prefer({ density: v === "compact" ? "compact" : "comfortable" }))}
          data={[
            { value: "comfortable", label: "Comfortable" },
            { value: "compact", label: "Compact" },
          ]}
        />
      </Section>
      <Section title="Taking back a message" about="After you press Send, a message waits this long, so that you can take it back. Closing the page does not stop it.">
        <Slider
          thumbLabel="Seconds to take back a message"
          maw={420}
          mb="md"
          min={0}
          max={60}
          value={undoSeconds}
          onChange={(v) => change(() => prefer({ undoSeconds: v }))}
          marks={[{ value: 0, label: "0 s" }, { value: 30, label: "30 s" }, { value: 60, label: "60 s" }]}
        />
        <Text size="sm">{undoSeconds === 0 ? "Messages are sent at once." : `Messages are sent after ${undoSeconds} ${undoSeconds === 1 ? "second" : "seconds"}.`}</Text>
      </Section>
    </SettingsColumn>
  );
}
