// The rows of the panel: a name, and what stands beside it.
import { type ReactNode, useId } from "react";
import classes from "./Panel.module.css";

/** A part of the panel with a heading of its own. */
export function Part({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.part} aria-labelledby={id}>
      <div className={classes.partHead}>
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

/** A name and a value. A control is labelled by itself, so the name is for the eye. */
export function Row({ name, hint, children }: { name: string; hint?: string | null; children: ReactNode }) {
  return (
    <div className={classes.row} title={hint ?? undefined}>
      <span className={classes.rowName}>{name}</span>
      <div className={classes.rowValue}>{children}</div>
    </div>
  );
}

/** What stands where there is nothing. */
export function None() {
  return <span className={classes.faint}>–</span>;
}
