import type { ReactNode } from "react";
import classes from "./Word.module.css";

/** A state in a word: its colour says how good that is, and a dot of another shape says it, too. */
export function Word({ tone, children }: { tone: "good" | "warn" | "bad" | "plain"; children: ReactNode }) {
  return (
    <span className={classes.word} data-tone={tone}>
      {children}
    </span>
  );
}
