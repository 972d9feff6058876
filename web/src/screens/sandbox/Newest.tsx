import { t } from "@lingui/core/macro";
import { Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, ask } from "../../api/client";
import { useCustomer } from "../../data/customers";
import { follow } from "../../data/live";
import type { ListedRequest } from "../../data/requests";
import { AppLink } from "../../parts/AppLink";
import { Failure, Loading } from "../../parts/states";
import { StateSign } from "../../parts/request";
import { Ago } from "../../parts/time";
import classes from "./Workspace.module.css";

const newestQuery = queryOptions({
  queryKey: ["newest-requests"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/requests", { params: { query: { limit: 20 } }, signal }))).requests,
  staleTime: 0,
});

/** The newest requests, as they come: what is said in the chat arrives here. */
export function Newest() {
  const newest = useQuery(newestQuery);
  useEffect(
    () =>
      follow((events, client) => {
        if (events.some((e) => e.type.startsWith("request.") || e.type === "message.created")) void client.invalidateQueries({ queryKey: newestQuery.queryKey });
      }),
    [],
  );
  return (
    <section className={classes.newest} aria-label={t`Latest requests`}>
      <div className={classes.bar}>
        <h2 className={classes.title}>{t`Latest requests`}</h2>
        <AppLink href="/requests" className={classes.all}>
          {t`Inbox`}
        </AppLink>
      </div>
      {newest.isPending ? (
        <Loading rows={4} />
      ) : newest.isError ? (
        <Failure error={newest.error} retry={() => void newest.refetch()} />
      ) : newest.data.length === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          {t`None yet. When a customer writes, the request appears here.`}
        </Text>
      ) : (
        <ul className={classes.requests}>
          {newest.data.map((r) => (
            <li key={r.id}>
              <One request={r} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function One({ request }: { request: ListedRequest }) {
  const customer = useCustomer(request.customer_id);
  return (
    <AppLink href={`/requests/${request.key}`} className={classes.request}>
      <StateSign state={request.state} />
      <span className={classes.requestTitle} dir="auto">
        {request.title || t`Untitled`}
      </span>
      <span className={classes.requestMore}>
        {request.key} · <bdi>{customer?.name ?? request.author_email ?? request.collection.name}</bdi> · <Ago at={request.created_at} />
      </span>
    </AppLink>
  );
}
