import { IconInbox } from "@tabler/icons-react";
import { Outlet, useParams } from "@tanstack/react-router";
import { Split } from "../../parts/Panes";
import { Empty } from "../../parts/states";

/** The list of requests, and beside it the one that is open. */
export function Inbox() {
  const open = useParams({ strict: false }).id ?? null;
  return (
    <Split name="list" label="the list" side="start" usual={380} least={280} most={640} phone={open === null ? "pane" : "rest"} pane={<h1>Inbox</h1>}>
      {open === null ? (
        <Empty icon={IconInbox} title="No request is open">
          Choose one of the list.
        </Empty>
      ) : (
        <Outlet />
      )}
    </Split>
  );
}
