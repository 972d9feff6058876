import { ActionIcon, Text } from "@mantine/core";
import { IconFile, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { mostBytes, mostFiles } from "../../../data/messages";
import { size } from "./Attachments";
import composer from "./Composer.module.css";
import classes from "./Request.module.css";
import type { Written } from "./composers";

type Chosen = Pick<Written, "files" | "kept">;

/** The files that are to go with a message; what cannot go is said at once. */
export function useFiles(first: Chosen) {
  const [{ files, kept }, set] = useState<Chosen>(first);
  const [problem, setProblem] = useState<string | null>(null);
  const count = files.length + kept.length;
  return {
    files,
    kept,
    count,
    problem,
    add: (more: File[]) => {
      const large = more.filter((f) => f.size > mostBytes);
      const fit = more.filter((f) => f.size <= mostBytes);
      const room = mostFiles - count;
      setProblem(
        large.length > 0
          ? `${large.map((f) => f.name).join(", ")} is not added: a file may have 100 MB.`
          : fit.length > room
            ? `A message takes ${mostFiles} files. ${fit.length - room === 1 ? "One was" : `${fit.length - room} were`} not added.`
            : null,
      );
      set({ kept, files: [...files, ...fit.slice(0, Math.max(0, room))] });
    },
    put: (w: Chosen) => set({ kept: [...w.kept, ...kept].slice(0, mostFiles), files: [...w.files, ...files].slice(0, Math.max(0, mostFiles - w.kept.length - kept.length)) }),
    remove: (one: Chosen["files"][number] | Chosen["kept"][number]) => {
      setProblem(null);
      set({ files: files.filter((f) => f !== one), kept: kept.filter((k) => k !== one) });
    },
    clear: () => {
      setProblem(null);
      set({ files: [], kept: [] });
    },
  };
}

export function Files({ of }: { of: ReturnType<typeof useFiles> }) {
  if (of.count === 0 && of.problem === null) return null;
  return (
    <div className={composer.chosenFiles}>
      <ul className={classes.files} aria-label="Files to send">
        {[...of.kept, ...of.files].map((f, i) => (
          <li key={i} className={classes.file}>
            <IconFile size={14} aria-hidden />
            <span className={classes.fileName}>{f.name}</span>
            <span className={classes.faint}>{size(f.size)}</span>
            <ActionIcon size="xs" aria-label={`Remove ${f.name}`} onClick={() => of.remove(f)}>
              <IconX size={12} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {of.problem && (
        <Text size="xs" c="var(--bad)" role="alert">
          {of.problem}
        </Text>
      )}
      {of.files.length > 0 && (
        <Text size="xs" c="dimmed">
          Up to {mostFiles} files of 100 MB. They are not kept in a draft: send before you leave this page.
        </Text>
      )}
    </div>
  );
}
