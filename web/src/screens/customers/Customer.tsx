import { t } from "@lingui/core/macro";
import { Badge, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { type CustomerChange, changeCustomer, customerQuery, useCustomersLive } from "../../data/customer";
import type { Customer as CustomerRecord } from "../../data/customers";
import { useMayWrite } from "../../data/me";
import { SavedSwitch, SavedText } from "../../parts/Saved";
import { Empty, Failure, Loading } from "../../parts/states";
import { Channels } from "./Channels";
import classes from "./Customers.module.css";
import { Facts } from "./Facts";
import { Fields } from "./Fields";
import { Figures } from "./Figures";
import { Health } from "./Health";
import { Notes } from "./Notes";
import { DomainsField, OwnerField } from "./Owner";
import { People } from "./People";
import { Requests } from "./Requests";
import { Timeline } from "./Timeline";

const route = getRouteApi("/frame/customers/$id");

/** One customer: what it has asked, who it is, how it goes. */
export function Customer() {
  const id = Number(route.useParams().id);
  useCustomersLive();
  const customer = useQuery({ ...customerQuery(id), enabled: Number.isSafeInteger(id) });
  if (!Number.isSafeInteger(id)) return <Empty title={t`Customer not found`}>{t`The link is incomplete.`}</Empty>;
  if (customer.isError) return <Failure whole error={customer.error} retry={() => void customer.refetch()} />;
  if (customer.isPending) return <Loading shape="page" />;
  return <Page key={id} customer={customer.data} />;
}

function Page({ customer }: { customer: CustomerRecord }) {
  const client = useQueryClient();
  const mayWrite = useMayWrite();
  const save = (change: CustomerChange) => changeCustomer(client, customer.id, change);
  return (
    <div className={classes.screen}>
      <header className={classes.head}>
        <Link to="/customers" className={classes.back} aria-label={t`All customers`}>
          <IconArrowLeft size={18} aria-hidden />
        </Link>
        <Title order={1} dir="auto">
          {customer.name}
        </Title>
        {customer.revisit && <Badge variant="light">{t`Revisit`}</Badge>}
      </header>
      <div className={classes.page}>
        <div>
          <Health id={customer.id} />
          <Notes id={customer.id} />
          <Figures id={customer.id} />
          <Requests id={customer.id} />
          <Timeline id={customer.id} />
        </div>
        <aside className={classes.side} aria-label={t`About this customer`}>
          {mayWrite ? (
            <>
              <SavedText label={t`Name`} field="name" maxLength={200} value={customer.name} save={(name) => save({ name })} />
              <OwnerField customer={customer} save={save} />
              <DomainsField customer={customer} save={save} />
              <SavedSwitch label={t`Revisit`} description={t`Someone should check on this customer again.`} field="revisit" value={customer.revisit} save={(revisit) => save({ revisit })} />
              <Fields customer={customer} save={save} />
            </>
          ) : (
            <Facts customer={customer} />
          )}
          <Channels customer={customer} save={save} mayWrite={mayWrite} />
          <People customer={customer} />
        </aside>
      </div>
    </div>
  );
}
