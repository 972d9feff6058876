import { t } from "@lingui/core/macro";
import { Avatar, Badge } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { customerRequestsQuery } from "../../data/customer";
import type { Customer } from "../../data/customers";
import { usersFound } from "../../data/people";
import { AppLink } from "../../parts/AppLink";
import { locale } from "../../texts";
import classes from "./Customers.module.css";

const mostDomains = 5;
const mostPeople = 30;

type Person = { name: string; email: string | null; avatar: string | null; requests: number; portal: boolean };

const requestsFrom = (name: string) => t`Requests from ${name}`;

/** Who writes for this customer: those with an address of its domains, those who asked lately, and those of its portal. */
export function People({ customer }: { customer: Customer }) {
  const domains = customer.domains.slice(0, mostDomains);
  const known = useQueries({
    queries: domains.map((d) => usersFound(d)),
    combine: (all) => all.flatMap((q) => q.data ?? []).filter((u) => customer.domains.some((d) => u.email?.toLowerCase().endsWith(`@${d}`))),
  });
  const requests = useQuery(customerRequestsQuery(customer.id, "all")).data ?? [];
  const people = new Map<string, Person>();
  for (const u of known) people.set(u.email?.toLowerCase() ?? u.id, { name: u.name, email: u.email ?? null, avatar: u.avatar ?? null, requests: 0, portal: false });
  for (const { email } of customer.portal_users) {
    const had = people.get(email.toLowerCase());
    people.set(email.toLowerCase(), { name: email, email, avatar: null, requests: 0, ...had, portal: true });
  }
  for (const { author_email } of requests) {
    if (!author_email) continue;
    const had = people.get(author_email.toLowerCase()) ?? { name: author_email, email: author_email, avatar: null, requests: 0, portal: false };
    people.set(author_email.toLowerCase(), { ...had, requests: had.requests + 1 });
  }
  const shown = [...people.values()].toSorted((a, b) => b.requests - a.requests || a.name.localeCompare(b.name, locale)).slice(0, mostPeople);
  return (
    <section aria-label={t`People`}>
      <h2 className={classes.blockTitle}>{t`People`}</h2>
      {shown.length === 0 ? (
        <p className={classes.faint}>{t`No one from this customer has written yet.`}</p>
      ) : (
        <ul className={classes.list}>
          {shown.map((p) => (
            <li key={p.email ?? p.name} className={classes.person}>
              <Avatar src={p.avatar} name={p.name} size={28} alt="" />
              <div>
                {p.email ? (
                  <AppLink href={`/requests?author_emails=${encodeURIComponent(p.email)}`} className={classes.name} title={requestsFrom(p.name)}>
                    {p.name}
                  </AppLink>
                ) : (
                  p.name
                )}
                {p.email && p.email !== p.name && <div className={classes.faint}>{p.email}</div>}
              </div>
              {p.portal && (
                <Badge size="xs" variant="default">
                  {t`Portal`}
                </Badge>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
