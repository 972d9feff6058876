import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, CloseButton, Group, Table, TextInput, Title } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconPlus, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { lastActivityQuery, openByCustomerQuery, openStates, satisfactionByCustomerQuery, useCustomersLive } from "../../data/customer";
import { type Customer, customersQuery } from "../../data/customers";
import { type Row, numberOf, valueOf } from "../../data/insights";
import { useHasProfile, useMayWrite } from "../../data/me";
import { useUser } from "../../data/people";
import { Keys, useCommands } from "../../frame/commands";
import { AppLink } from "../../parts/AppLink";
import { NoCustomers, NothingFound } from "../../parts/drawings";
import { Empty, Failure, Loading } from "../../parts/states";
import { Ago, pointInTime } from "../../parts/time";
import { locale } from "../../texts";
import classes from "./Customers.module.css";
import { NewCustomer } from "./NewCustomer";
import { Satisfaction, satisfaction } from "./Satisfaction";

const route = getRouteApi("/frame/customers");

const columns = [
  { word: "name", label: msg`Name` },
  { word: "owner", label: msg`Owner`, sortable: false, wide: true },
  { word: "domains", label: msg`Domains`, sortable: false, wide: true },
  { word: "open", label: msg`Open requests` },
  { word: "activity", label: msg`Last activity` },
  { word: "satisfaction", label: msg`Satisfaction`, wide: true },
];

// More lines at once are slow to draw and nothing that anybody reads.
const step = 100;

/** All customers, with what is open and how they are. */
export function Customers() {
  const { query = "", sort = "name" } = route.useSearch();
  const navigate = useNavigate();
  const mayWrite = useMayWrite();
  const customers = useQuery(customersQuery);
  const enabled = useHasProfile() === true; // without one, insights are refused
  const opened = useQuery({ ...openByCustomerQuery, enabled });
  const open = byCustomer(opened.data);
  const surveys = byCustomer(useQuery({ ...satisfactionByCustomerQuery, enabled }).data);
  const numbers = opened.isSuccess;
  const activity = useQuery(lastActivityQuery).data;
  const [adding, setAdding] = useState(false);
  const [most, setMost] = useState(step);
  const search = useRef<HTMLInputElement>(null);
  useCustomersLive();
  useCommands([
    { id: "customers.search", label: t`Search customers`, keys: "/", group: t`Customers`, run: () => search.current?.focus() },
    ...(mayWrite ? [{ id: "customers.new", label: t`New customer`, keys: "c", group: t`Customers`, run: () => setAdding(true) }] : []),
  ]);
  const go = (part: { query?: string | undefined; sort?: string | undefined }) =>
    void navigate({ to: "/customers", search: { query: query || undefined, sort: sort === "name" ? undefined : sort, ...part }, replace: true });

  if (customers.isError) return <Failure whole error={customers.error} retry={() => void customers.refetch()} />;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (customers.data ?? []).filter((c) => words.every((w) => c.name.toLowerCase().includes(w) || c.domains.some((d) => d.includes(w))));
  const byName = (a: Customer, b: Customer) => a.name.localeCompare(b.name, locale);
  const order: Record<string, (a: Customer, b: Customer) => number> = {
    open: (a, b) => (numberOf(open.get(b.id), "count") ?? 0) - (numberOf(open.get(a.id), "count") ?? 0),
    activity: (a, b) => (activity?.at.get(b.id) ?? "").localeCompare(activity?.at.get(a.id) ?? ""),
    satisfaction: (a, b) => (satisfaction(surveys.get(a.id)) ?? 9) - (satisfaction(surveys.get(b.id)) ?? 9), // who needs care first
  };
  const sorted = found.toSorted((a, b) => (order[sort]?.(a, b) ?? 0) || byName(a, b));
  const total = sorted.length;

  return (
    <div className={classes.screen}>
      <Group justify="space-between" mb="md">
        <Title order={1}>{t`Customers`}</Title>
        {mayWrite && (
          <Button leftSection={<IconPlus size={14} aria-hidden />} rightSection={<Keys keys="c" />} onClick={() => setAdding(true)}>
            {t`New customer`}
          </Button>
        )}
      </Group>
      <TextInput
        ref={search}
        type="search"
        aria-label={t`Search customers by name or domain`}
        placeholder={t`Name or domain`}
        maw={360}
        mb="sm"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={query && <CloseButton size="sm" aria-label={t`Clear search`} onClick={() => go({ query: undefined })} />}
        value={query}
        onChange={(e) => go({ query: e.currentTarget.value || undefined })}
      />
      {customers.isPending ? (
        <Loading shape="table" rows={8} />
      ) : customers.data.length === 0 ? (
        <Empty drawing={<NoCustomers />} title={t`No customers yet`} action={mayWrite && <Button onClick={() => setAdding(true)}>{t`New customer`}</Button>}>
          {t`A customer is a company that writes to you. Frontdesk recognizes its requests by their channel or by the sender’s email domain.`}
        </Empty>
      ) : sorted.length === 0 ? (
        <Empty
          drawing={<NothingFound />}
          title={t`No matching customers`}
          action={
            <Button variant="default" onClick={() => go({ query: undefined })}>
              {t`Show all customers`}
            </Button>
          }
        >
          {t`No name or domain contains “${query}”.`}
        </Empty>
      ) : (
        <Table highlightOnHover verticalSpacing={8} className={classes.table ?? ""}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((c) => (
                <Table.Th key={c.word} data-wide={c.wide} aria-sort={sort === c.word ? (c.word === "name" || c.word === "satisfaction" ? "ascending" : "descending") : undefined}>
                  {c.sortable === false ? (
                    i18n._(c.label)
                  ) : (
                    <button type="button" className={classes.sort} onClick={() => go({ sort: c.word === "name" ? undefined : c.word })}>
                      {i18n._(c.label)}
                      {sort === c.word && (c.word === "name" || c.word === "satisfaction" ? <IconChevronUp size={14} aria-hidden /> : <IconChevronDown size={14} aria-hidden />)}
                    </button>
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.slice(0, most).map((c) => (
              <Table.Tr key={c.id}>
                <Table.Th scope="row">
                  <Link to="/customers/$id" params={{ id: String(c.id) }} className={classes.name} dir="auto">
                    {c.name}
                  </Link>
                </Table.Th>
                <Table.Td data-wide>
                  <Owner id={c.owner} />
                </Table.Td>
                <Table.Td data-wide className={classes.domains ?? ""}>
                  <DomainNames domains={c.domains} />
                </Table.Td>
                <Table.Td>{numbers ? <Open id={c.id} row={open.get(c.id)} /> : "–"}</Table.Td>
                <Table.Td>{activity && <Activity at={activity.at.get(c.id)} since={activity.since} />}</Table.Td>
                <Table.Td data-wide>
                  <Satisfaction row={surveys.get(c.id)} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {sorted.length > most && (
        <Button variant="default" mt="md" onClick={() => setMost(most + step)}>
          {t`Show more (${total} in total)`}
        </Button>
      )}
      <NewCustomer opened={adding} close={() => setAdding(false)} />
    </div>
  );
}

function byCustomer(rows: Row[] | undefined): Map<number, Row> {
  return new Map(
    (rows ?? []).flatMap((r) => {
      const id = valueOf(r, "customer_id");
      return typeof id === "number" ? [[id, r] as const] : [];
    }),
  );
}

const shownDomains = 3;

function DomainNames({ domains }: { domains: string[] }) {
  const names = domains.slice(0, shownDomains).join(", ");
  const more = domains.length - shownDomains;
  if (more <= 0) return names;
  const first = <>{names}</>; // as an element, since tags in a text would be taken for those of <Trans>
  return (
    <Trans>
      {first} <span className={classes.faint}>and {more} more</span>
    </Trans>
  );
}

/** Without an owner of its own, a customer belongs to the owner of its collection. */
function Owner({ id }: { id: string | null }) {
  const user = useUser(id);
  if (id === null) return <span className={classes.faint}>{t`Collection owner`}</span>;
  return <>{user?.name ?? "…"}</>;
}

function Open({ id, row }: { id: number; row: Row | undefined }) {
  const count = numberOf(row, "count") ?? 0;
  if (count === 0) return <span className={classes.faint}>0</span>;
  return (
    <AppLink className={classes.count} href={`/requests?customer_id=${id}&state=${openStates.join(",")}`} title={t`Open these requests`}>
      {count}
    </AppLink>
  );
}

function Activity({ at, since }: { at: string | undefined; since: string | null }) {
  if (at) return <Ago at={at} />;
  if (since === null) return <span className={classes.faint}>{t({ message: "never", context: "last activity" })}</span>;
  const first = pointInTime(since);
  return <span className={classes.faint}>{t({ message: `before ${first}`, comment: "The last activity was before this day" })}</span>;
}
