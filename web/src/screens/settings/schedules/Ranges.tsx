import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Group, Text, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { Hours } from "../../../data/schedules";
import { endFromBox, toBox } from "./hours";

const most = 10;

/** The hours of a day: from, to, and a break between two of them. */
export function Ranges({
  what,
  hours,
  draw,
  save,
  done,
}: {
  what: string;
  hours: Hours;
  /** Shows a time that is still being typed. */
  draw: (hours: Hours) => void;
  /** Shows a change and keeps it. */
  save: (hours: Hours) => void;
  /** A time was typed. */
  done: () => void;
}) {
  const change = (at: number, part: Partial<Hours[number]>) => draw(hours.map((h, i) => (i === at ? { ...h, ...part } : h)));
  return (
    <>
      {hours.map((h, i) => {
        const part = i + 1;
        const which = hours.length > 1 ? t`${what}, part ${part}` : what;
        return (
          <Group key={i} gap="xs">
            <TextInput
              type="time"
              size="xs"
              aria-label={t`${which}: from`}
              value={toBox(h.from)}
              onChange={(e) => change(i, { from: e.currentTarget.value })}
              onBlur={done}
              onKeyDown={(e) => e.key === "Enter" && done()}
            />
            <Text c="dimmed">{t({ message: "to", context: "between two times" })}</Text>
            <TextInput
              type="time"
              size="xs"
              aria-label={t`${which}: to`}
              value={toBox(h.to)}
              onChange={(e) => change(i, { to: endFromBox(e.currentTarget.value) })}
              onBlur={done}
              onKeyDown={(e) => e.key === "Enter" && done()}
            />
            {hours.length > 1 && (
              <ActionIcon aria-label={t`Remove ${which}`} onClick={() => save(hours.filter((_, at) => at !== i))}>
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )}
            {i === hours.length - 1 && hours.length < most && (
              <Button
                variant="subtle"
                color="gray"
                c="dimmed"
                leftSection={<IconPlus size={14} aria-hidden />}
                aria-label={t`Add hours to ${what}`}
                onClick={() => draw([...hours, { from: "", to: "" }])}
              >
                {t`Add hours`}
              </Button>
            )}
          </Group>
        );
      })}
    </>
  );
}
