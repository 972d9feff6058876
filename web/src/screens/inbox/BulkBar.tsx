import { plural, t } from "@lingui/core/macro";
import { ActionIcon, Button, CloseButton, Group, List, Progress as Bar, Text } from "@mantine/core";
import { IconArrowMerge, IconCircleCheck, IconCircleDot, IconFlag, IconMail, IconMailOpened, IconTag, IconUserPlus, IconZzz, type TablerIcon } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Keys } from "../../frame/commands";
import { choiceAt } from "../../parts/Choice";
import { Dialog } from "../../parts/Dialog";
import { Tip } from "../../parts/Tip";
import type { Choosing } from "./Choices";
import classes from "./Inbox.module.css";
import type { Progress } from "./useDoing";

type Props = {
  selected: number;
  loaded: number;
  mayWrite: boolean;
  choose: (what: Choosing) => void;
  solve: () => void;
  mark: (read: boolean) => void;
  merge: () => void;
  all: () => void;
  clear: () => void;
};

/** What can be done with everything that is selected. */
export function BulkBar({ selected, loaded, mayWrite, choose, solve, mark, merge, all, clear }: Props) {
  const change = (label: string, icon: TablerIcon, keys: string | null, run: () => void, what?: Choosing) => <Tool key={label} label={label} icon={icon} keys={keys} run={run} what={what} />;
  return (
    <section className={classes.bar} aria-label={t`Selected requests`}>
      <h1 className="visually-hidden">{t`Selected requests`}</h1>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" fw={600} role="status">
          {t`${selected} selected`}
        </Text>
        <Group gap={4} wrap="nowrap">
          {selected < loaded && (
            <Button variant="subtle" size="compact-xs" onClick={all}>
              {t`Select all ${loaded} loaded`}
            </Button>
          )}
          <CloseButton size="sm" aria-label={t`Clear selection`} onClick={clear} />
        </Group>
      </Group>
      <Group gap={4} mt={8}>
        {mayWrite && [
          change(t`Assign`, IconUserPlus, "a", () => choose("assignee"), "assignee"),
          change(t`Solve`, IconCircleCheck, "e", solve),
          change(t`State`, IconCircleDot, "s", () => choose("state"), "state"),
          change(t`Priority`, IconFlag, "p", () => choose("priority"), "priority"),
          change(t`Tags`, IconTag, "l", () => choose("tags"), "tags"),
          change(t({ message: "Snooze", context: "verb" }), IconZzz, "h", () => choose("snooze"), "snooze"),
        ]}
        {change(t`Mark as read`, IconMailOpened, null, () => mark(true))}
        {change(t`Mark as unread`, IconMail, "u", () => mark(false))}
        {mayWrite && selected > 1 && change(t`Merge`, IconArrowMerge, "m", merge)}
      </Group>
    </section>
  );
}

function Tool({ label, icon: Icon, keys, run, what }: { label: string; icon: TablerIcon; keys: string | null; run: () => void; what: Choosing | undefined }) {
  return (
    <Tip
      label={
        <>
          {label} {keys && <Keys keys={keys} />}
        </>
      }
    >
      <ActionIcon size="md" variant="default" aria-label={label} {...(what && choiceAt(`selected ${what}`))} onClick={run}>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tip>
  );
}

/** How far something that takes a while has got, and what of it did not work. */
export function ProgressBar({ progress, dismiss }: { progress: Progress; dismiss: () => void }) {
  const [showing, setShowing] = useState(false);
  const { undoing, done, total, running, failed, stop } = progress;
  let says: ReactNode = null;
  let acts: ReactNode = null;
  if (running) {
    const current = Math.min(done + 1, total);
    says = undoing ? t`Undoing ${current} of ${total}` : t`Updating ${current} of ${total}`;
    acts = (
      <Button variant="default" size="compact-xs" onClick={stop}>
        {t`Stop`}
      </Button>
    );
  } else {
    const { length } = failed;
    says = t`${plural(total, { one: `${length} of # request could not be changed.`, other: `${length} of # requests could not be changed.` })}`;
    acts = (
      <>
        <Button variant="default" size="compact-xs" onClick={() => setShowing(true)}>
          {t`Details`}
        </Button>
        <CloseButton size="sm" aria-label={t`Dismiss`} onClick={dismiss} />
      </>
    );
  }
  return (
    <section className={classes.bar} aria-label={t`Progress`}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" role="status">
          {says}
        </Text>
        <Group gap={4} wrap="nowrap">
          {acts}
        </Group>
      </Group>
      {running && <Bar value={(100 * done) / total} size="xs" mt={6} aria-label={undoing ? t`Undoing` : t`Updating`} />}
      <Dialog opened={showing} onClose={() => setShowing(false)} title={t`Requests that could not be changed`}>
        <List size="sm" spacing="xs">
          {failed.map((f) => (
            <List.Item key={f.request.id}>
              <strong>{f.request.title}</strong>: {f.why}
            </List.Item>
          ))}
        </List>
      </Dialog>
    </section>
  );
}
