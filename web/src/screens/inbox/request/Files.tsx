import { plural, t } from "@lingui/core/macro";
import { ActionIcon, Text } from "@mantine/core";
import { IconFile, IconX } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { forgetFiles, keepFiles, keptFiles, namesOf } from "../../../data/browser";
import type { Draft } from "../../../data/drafts";
import { mostBytes, mostFiles } from "../../../data/messages";
import { size } from "./Attachments";
import composer from "./Composer.module.css";
import classes from "./Request.module.css";
import type { Written } from "./composers";

type Chosen = Pick<Written, "files" | "kept">;

/** The files that are to go with a message, beginning with those of a draft; what cannot go is said at once. */
export function useFiles(first: Pick<Draft, "files" | "kept">) {
  const [{ files, kept }, set] = useState<Chosen>({ files: [], kept: first.kept });
  const [problem, setProblem] = useState<string | null>(null);
  // Those that the browser has kept are there in a moment.
  const [coming, setComing] = useState(first.files.length > 0 ? first.files : null);
  useEffect(() => {
    if (!coming) return;
    let gone = false;
    void keptFiles(coming).then(({ files: back, lost }) => {
      if (gone) return;
      set((now) => ({ ...now, files: [...back, ...now.files].slice(0, Math.max(0, mostFiles - now.kept.length)) }));
      if (lost.length > 0) setProblem(couldNotRestore(lost));
      setComing(null);
    });
    return () => {
      gone = true;
    };
  }, [coming]);
  const count = files.length + kept.length;
  const named = useMemo(() => [...(coming ?? []), ...namesOf(files)], [coming, files]);
  return {
    files,
    kept,
    count,
    problem,
    /** What a draft says of them. */
    named,
    coming: coming !== null,
    add: (more: File[]) => {
      const large = more.filter((f) => f.size > mostBytes);
      const fit = more.filter((f) => f.size <= mostBytes);
      const room = mostFiles - count;
      const names = large.map((f) => f.name).join(", ");
      setProblem(
        large.length > 0
          ? t`${plural({ count: large.length }, { one: `${names} is too large. Files can be up to 100 MB.`, other: `${names} are too large. Files can be up to 100 MB.` })}`
          : fit.length > room
            ? t`${plural({ count: fit.length - room }, { one: `A message can have up to ${mostFiles} files. One was not added.`, other: `A message can have up to ${mostFiles} files. # were not added.` })}`
            : null,
      );
      const added = fit.slice(0, Math.max(0, room));
      set({ kept, files: [...files, ...added] });
      keepFiles(added).catch(() => setProblem(t`This browser is out of space, so attachments are not saved. Send the message before you leave this page.`));
    },
    put: (w: Chosen) => set({ kept: [...w.kept, ...kept].slice(0, mostFiles), files: [...w.files, ...files].slice(0, Math.max(0, mostFiles - w.kept.length - kept.length)) }),
    remove: (one: Chosen["files"][number] | Chosen["kept"][number]) => {
      setProblem(null);
      if (one instanceof File) forgetFiles([one]);
      set({ files: files.filter((f) => f !== one), kept: kept.filter((k) => k !== one) });
    },
    clear: () => {
      setProblem(null);
      set({ files: [], kept: [] });
    },
  };
}

function couldNotRestore(files: string[]): string {
  const names = files.join(", ");
  return t`${plural({ count: files.length }, { one: `${names} could not be restored. Attach it again.`, other: `${names} could not be restored. Attach them again.` })}`;
}

export function Files({ of }: { of: ReturnType<typeof useFiles> }) {
  if (of.count === 0 && of.problem === null) return null;
  return (
    <div className={composer.chosenFiles}>
      <ul className={classes.files} aria-label={t`Attachments`}>
        {[...of.kept, ...of.files].map((f, i) => {
          const { name } = f;
          return (
            <li key={i} className={classes.file}>
              <IconFile size={14} aria-hidden />
              <span className={classes.fileName} dir="auto">
                {name}
              </span>
              <span className={classes.faint}>{size(f.size)}</span>
              <ActionIcon size="xs" aria-label={t`Remove ${name}`} onClick={() => of.remove(f)}>
                <IconX size={12} aria-hidden />
              </ActionIcon>
            </li>
          );
        })}
      </ul>
      {of.problem && (
        <Text size="xs" c="var(--bad)" role="alert">
          {of.problem}
        </Text>
      )}
      {of.files.length > 0 && (
        <Text size="xs" c="dimmed">
          {t`Up to ${mostFiles} files, 100 MB each.`}
        </Text>
      )}
    </div>
  );
}
