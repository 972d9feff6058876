// The parts of the panel, and their rows: a name and a value.
import { type ReactNode, useId } from "react";
import type { Request, RequestChange } from "../../../data/requests";
import classes from "./Panel.module.css";

/** What every part of the panel needs: the request, whether it can be changed, and what changes it. */
export type PartProps = { request: Request; mayChange: boolean; change: (change: RequestChange, done?: () => void) => void };

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
      <span className={classes.rowName} dir="auto">
        {name}
      </span>
      <div className={classes.rowValue}>{children}</div>
    </div>
  );
}

/** What stands where there is nothing. */
export function None() {
  return <span className={classes.faint}>–</span>;
}
