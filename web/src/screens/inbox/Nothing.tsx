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
        title="No results"
        action={
          elsewhere && (
            <Button variant="default" onClick={() => narrow({ query })}>
              Search all requests
            </Button>
          )
        }
      >
        No request {elsewhere ? "in this view " : ""}matches “{query}”.
      </Empty>
    );
  }
  if (same(filters, { state: unsolved }) || same(filters, {}))
    return (
      <Empty
        drawing={<EmptyTray />}
        title="No open requests"
        action={
          sandbox ? (
            <Button component={Link} to="/sandbox">
              Open sandbox
            </Button>
          ) : (
            <ConnectChat />
          )
        }
      >
        {sandbox
          ? "Post a message in the sandbox and watch it arrive here."
          : `Messages from connected channels arrive here.${admin ? "" : " If no chat is connected yet, ask an admin to connect one."}`}
      </Empty>
    );
  return (
    <Empty
      drawing={<AllDone />}
      title="No matching requests"
      action={
        <Button variant="default" onClick={() => narrow({ state: unsolved })}>
          Show all open requests
        </Button>
      }
    >
      Remove a filter, or go back to all open requests.
    </Empty>
  );
}
