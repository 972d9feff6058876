import { Button } from "@mantine/core";
import { IconInbox, IconMoodSmile, IconSearchOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sandboxQuery } from "../../data/sandbox";
import { Empty } from "../../parts/states";
import { type Filters, same, unsolved } from "./filters";

/** A list with nothing on it, and what to do next. */
export function Nothing({ filters, narrow }: { filters: Filters; narrow: (f: Filters) => void }) {
  const sandbox = useQuery(sandboxQuery).data?.connected ?? false;
  if (filters.query) {
    const { query, ...rest } = filters;
    const elsewhere = Object.keys(rest).length > 0;
    return (
      <Empty
        icon={IconSearchOff}
        title="Nothing was found"
        action={
          elsewhere && (
            <Button variant="default" onClick={() => narrow({ query })}>
              Search in everything
            </Button>
          )
        }
      >
        No request {elsewhere ? "of this view " : ""}has all the words of “{query}”.
      </Empty>
    );
  }
  if (same(filters, { state: unsolved }) || same(filters, {}))
    return (
      <Empty
        icon={IconInbox}
        title="Nothing is open"
        action={
          sandbox ? (
            <Button component={Link} to="/sandbox">
              Open the sandbox
            </Button>
          ) : (
            <Button component={Link} to="/settings" variant="default">
              To the settings
            </Button>
          )
        }
      >
        {sandbox ? "Write something in the sandbox and watch it arrive here." : "What people write in connected channels arrives here. Connect a chat workspace in the settings if there is none yet."}
      </Empty>
    );
  return (
    <Empty
      icon={IconMoodSmile}
      title="No request fits"
      action={
        <Button variant="default" onClick={() => narrow({ state: unsolved })}>
          Show all open
        </Button>
      }
    >
      Nothing is left here. Take a filter away, or go on with what is open.
    </Empty>
  );
}
