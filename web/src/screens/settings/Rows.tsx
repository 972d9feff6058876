import type { ReactNode } from "react";
import classes from "./Rows.module.css";

/** A list of things with lines between them. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={classes.rows} aria-label={label}>
      {children}
    </ul>
  );
}

/** One of them, with what can be done with it at its end. */
export function Row({ children, action, top = false }: { children: ReactNode; action?: ReactNode; /** What is at the end stays beside the first line. */ top?: boolean }) {
  return (
    <li className={classes.row} data-top={top || undefined}>
      <div className={classes.what}>{children}</div>
      {action && <div className={classes.action}>{action}</div>}
    </li>
  );
}
