import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useIsAdmin } from "../../data/me";
import { sandboxQuery } from "../../data/sandbox";
import { ConnectChat } from "../../parts/ConnectChat";
import { AllDone, EmptyTray, NothingFound } from "../../parts/drawings";
import { Empty } from "../../parts/states";
import { type Filters, same, unsolved } from "./filters";

/** A list with nothing on it, and what to do next. */
export function Nothing({ filters, narrow }: { filters: Filters; narrow: (f: Filters) => void }) {
  const admin = useIsAdmin();
  const sandbox = useQuery(sandboxQuery).data?.connected ?? false;
  if (filters.query) {
    const { query, ...rest } = filters;
    const elsewhere = Object.keys(rest).length > 0;
    return (
      <Empty
        drawing={<NothingFound />}
        title={t`No results`}
        action={
          elsewhere && (
            <Button variant="default" onClick={() => narrow({ query })}>
              {t`Search all requests`}
            </Button>
          )
        }
      >
        {elsewhere ? t`No request in this view matches “${query}”.` : t`No request matches “${query}”.`}
      </Empty>
    );
  }
  if (same(filters, { state: unsolved }) || same(filters, {}))
    return (
      <Empty
        drawing={<EmptyTray />}
        title={t`No open requests`}
        action={
          sandbox ? (
            <Button component={Link} to="/sandbox">
              {t`Open sandbox`}
            </Button>
          ) : (
            <ConnectChat />
          )
        }
      >
        {sandbox
          ? t`Post a message in the sandbox and watch it arrive here.`
          : admin
            ? t`Messages from connected channels arrive here.`
            : t`Messages from connected channels arrive here. If no chat is connected yet, ask an admin to connect one.`}
      </Empty>
    );
  return (
    <Empty
      drawing={<AllDone />}
      title={t`No matching requests`}
      action={
        <Button variant="default" onClick={() => narrow({ state: unsolved })}>
          {t`Show all open requests`}
        </Button>
      }
    >
      {t`Remove a filter, or go back to all open requests.`}
    </Empty>
  );
}
