import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import classes from "./Mail.module.css";

/** A mail as a mail program shows it: its head, and below what is written. */
export function MailSheet({ from, to, cc, subject, date, children }: { from: string; to: string[]; cc: string[]; subject: string; date?: string | null; children: ReactNode }) {
  const head: [string, string | null | undefined][] = [
    [t`Subject`, subject || t`(no subject)`],
    [t({ message: "From", context: "mail" }), from],
    [t({ message: "To", context: "mail" }), to.join(", ")],
    [t`Cc`, cc.join(", ")],
    [t`Date`, date],
  ];
  return (
    <div className={classes.sheet}>
      <dl className={classes.sheetHead}>
        {head.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <div className={classes.sheetBody}>{children}</div>
    </div>
  );
}
