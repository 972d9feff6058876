import { plural, t } from "@lingui/core/macro";
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { undoNewest } from "../../../data/history";
import { useSplit } from "../../../data/merge";
import type { Request } from "../../../data/requests";
import { didWithUndo } from "../../../data/undo";
import type { Choosing } from "./Messages";
import classes from "./Composer.module.css";

export type Splitting = { choosing: Choosing | null; start: () => void; stop: () => void };

/** Choosing messages that are to be a request of their own. */
export function useSplitting(request: Request): Splitting {
  const [chosen, setChosen] = useState<Set<number> | null>(null);
  // The same as long as nothing was chosen, so that a long conversation is not drawn anew.
  const choosing = useMemo<Choosing | null>(
    () =>
      chosen && {
        chosen,
        toggle: (id) =>
          setChosen((before) => {
            const next = new Set(before);
            if (!next.delete(id)) next.add(id);
            return next;
          }),
      },
    [chosen],
  );
  const enough = (request.messages?.length ?? 0) > 1;
  return { choosing, start: () => enough && setChosen(new Set()), stop: () => setChosen(null) };
}

/** What stands in the place of the editor meanwhile. */
export function SplitBar({ splitting, request }: { splitting: Splitting; request: Request }) {
  const client = useQueryClient();
  const split = useSplit();
  const [title, setTitle] = useState("");
  const chosen = splitting.choosing?.chosen ?? new Set<number>();
  const of = (request.messages ?? []).filter((m) => !m.is_private);
  const publicChosen = of.filter((m) => chosen.has(m.id)).length;
  const why =
    chosen.size === 0
      ? t`Select the messages to move to a new request.`
      : publicChosen === 0
        ? t`Select at least one message that is not an internal note.`
        : publicChosen === of.length
          ? t`Leave at least one message that is not an internal note.`
          : null;
  const run = () =>
    split.mutate(
      { id: request.id, messageIds: [...chosen], title: title.trim() },
      {
        onSuccess: (made) => {
          splitting.stop();
          const { key } = made;
          didWithUndo(t`${plural({ count: chosen.size }, { one: `# message moved to ${key}.`, other: `# messages moved to ${key}.` })}`, () => void undoNewest(client, request.id, "request.split"));
        },
      },
    );
  return (
    <section className={classes.splitBar} aria-label={t({ message: "Split", context: "verb" })}>
      <Text size="sm" aria-live="polite">
        {why ??
          t`${plural({ count: chosen.size }, { one: "# message will move to a new open request for the same customer. You can undo this.", other: "# messages will move to a new open request for the same customer. You can undo this." })}`}
      </Text>
      <Group gap="xs">
        <TextInput
          className={classes.splitTitle!}
          size="xs"
          aria-label={t`Title of the new request`}
          placeholder={t`Title of the new request (optional)`}
          maxLength={300}
          value={title}
          onChange={(e) => setTitle(e.currentTarget.value)}
        />
        <Button variant="default" onClick={splitting.stop}>
          {t`Cancel`}
        </Button>
        <Button disabled={why !== null} loading={split.isPending} onClick={run}>
          {t({ message: "Split", context: "verb" })}
        </Button>
      </Group>
    </section>
  );
}
