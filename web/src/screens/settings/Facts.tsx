import type { ReactNode } from "react";
import classes from "./Facts.module.css";

/** What is set, for who may look and not change. */
export function Facts({ of }: { of: [label: string, value: ReactNode][] }) {
  return (
    <dl className={classes.facts}>
      {of.map(([label, value]) => (
        <div key={label} className={classes.fact}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
