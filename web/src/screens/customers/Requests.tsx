import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { customerRequestsQuery, lastSaid, openStates } from "../../data/customer";
import type { ListedRequest } from "../../data/requests";
import { AppLink } from "../../parts/AppLink";
import { Failure, Loading } from "../../parts/states";
import { Ago } from "../../parts/time";
import { inWords } from "../insights/format";
import classes from "./Customers.module.css";

const recent = 10;

/** What is open, and what came last; each opens in the inbox beside the others of this customer. */
export function Requests({ id }: { id: number }) {
  const open = useQuery(customerRequestsQuery(id, "open"));
  const all = useQuery(customerRequestsQuery(id, "all"));
  if (open.isError) return <Failure error={open.error} retry={() => void open.refetch()} />;
  if (all.isError) return <Failure error={all.error} retry={() => void all.refetch()} />;
  if (!open.data || !all.data) return <Loading />;
  const others = all.data.filter((r) => r.state !== null && !openStates.includes(r.state)).slice(0, recent);
  const openHref = `/requests?customer_id=${id}&state=${openStates.join(",")}`;
  return (
    <>
      <List
        title={t`Open requests`}
        requests={open.data}
        nothing={t`No open requests.`}
        address={`customer_id=${id}&state=${openStates.join(",")}`}
        more={{ href: openHref, label: t`View all open requests in the inbox` }}
      />
      <List
        title={t`Recently solved or closed`}
        requests={others}
        nothing={t`No requests solved or closed recently.`}
        address={`customer_id=${id}`}
        more={{ href: `/requests?customer_id=${id}`, label: t`View all requests in the inbox` }}
      />
    </>
  );
}

function List({ title, requests, nothing, address, more }: { title: string; requests: ListedRequest[]; nothing: string; address: string; more: { href: string; label: string } }) {
  return (
    <section className={classes.block} aria-label={title}>
      <h2 className={classes.blockTitle}>{title}</h2>
      {requests.length === 0 ? (
        <p className={classes.faint}>{nothing}</p>
      ) : (
        <ul className={classes.list}>
          {requests.map((r) => (
            <li key={r.id}>
              <AppLink href={`/requests/${r.key}?${address}`} className={classes.request}>
                <span className={classes.faint}>{r.key}</span>
                <span className={classes.faint}>{r.state ? inWords(r.state) : t`Not a request`}</span>
                <span className={classes.requestTitle} dir="auto">
                  {r.title}
                </span>
                <span className={classes.faint}>
                  <Ago at={lastSaid(r)} />
                </span>
              </AppLink>
            </li>
          ))}
        </ul>
      )}
      <p>
        <AppLink href={more.href} className={classes.count}>
          {more.label}
        </AppLink>
      </p>
    </section>
  );
}
