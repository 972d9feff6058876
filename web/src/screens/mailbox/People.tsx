import { t } from "@lingui/core/macro";
import { UnstyledButton } from "@mantine/core";
import type { Mail, Mailbox } from "../../data/mailbox";
import classes from "./Mailbox.module.css";

/** What somebody is called: by their name, or else by their address. */
export const nameOf = (p: { name: string; email: string }) => p.name || p.email;

/** Who wrote a mail. */
export const senderOf = ({ from: [sender] }: Mail) => (sender ? nameOf(sender) : t`unknown sender`);

/** Everybody with a mailbox, by company. */
export function People({ people, chosen, choose }: { people: Mailbox[]; chosen: string; choose: (email: string) => void }) {
  const shown = people.some((p) => p.email === chosen) ? people : [...people, { email: chosen, name: "", company: "", unread: 0 }];
  return (
    <nav className={classes.people} aria-label={t`Mailboxes`}>
      {[...Map.groupBy(shown, (p) => p.company)].map(([company, members]) => (
        <section key={company}>
          <h2 className={classes.company}>{company || t`Other addresses`}</h2>
          <ul className={classes.list}>
            {members.map((p) => (
              <li key={p.email}>
                <UnstyledButton className={classes.owner} title={p.email} {...(p.email === chosen && { "data-chosen": true, "aria-current": "true" as const })} onClick={() => choose(p.email)}>
                  <span dir="auto">{nameOf(p)}</span>
                  {p.unread > 0 && (
                    <span className={classes.count}>
                      {p.unread}
                      <span className="visually-hidden"> {t({ message: "unread", context: "after a number" })}</span>
                    </span>
                  )}
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
