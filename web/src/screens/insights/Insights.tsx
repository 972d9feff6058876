import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { type EventType, follow } from "../../data/live";
import { useHasProfile } from "../../data/me";
import { useCommands } from "../../frame/commands";
import classes from "./Insights.module.css";
import { NoProfile } from "./NoProfile";
import { dashboardSearch, dashboards } from "./dashboards";

// Events that change the figures. A busy desk has many of them, so the figures are
// refreshed at most once per pause.
const telling: EventType[] = ["request.created", "request.updated", "message.created", "sla.breached", "csat.received", "ticket.created", "ticket.linked"];
const pause = 15_000;

/** The four dashboards and the explorer. */
export function Insights() {
  const navigate = useNavigate();
  useCommands([
    ...dashboards.map((d) => ({ id: `insights.${d.name}`, label: `Insights: ${d.label}`, group: "Insights", run: () => void navigate({ to: "/insights/$dashboard", params: { dashboard: d.name } }) })),
    { id: "insights.explorer", label: "Insights: Explorer", group: "Insights", run: () => void navigate({ to: "/insights/explorer" }) },
  ]);
  useEffect(() => {
    let timer: number | undefined;
    const end = follow((events, client) => {
      if (timer !== undefined || !events.some((e) => telling.includes(e.type))) return;
      timer = window.setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ queryKey: ["insights", "rows"] });
      }, pause);
    });
    return () => {
      end();
      window.clearTimeout(timer);
    };
  }, []);
  return (
    <div className={classes.screen}>
      <header className={classes.head}>
        <h1 className={classes.title}>Insights</h1>
        <nav className={classes.tabs} aria-label="Insights">
          {dashboards.map((d) => (
            // The time and the filters stay when the subject changes.
            <Link
              key={d.name}
              to="/insights/$dashboard"
              params={{ dashboard: d.name }}
              search={(now) => dashboardSearch(now)}
              className={classes.tab}
              activeOptions={{ includeSearch: false }}
              activeProps={{ "data-here": true }}
            >
              {d.label}
            </Link>
          ))}
          <Link to="/insights/explorer" search={(now) => ({ range: dashboardSearch(now).range })} className={classes.tab} activeOptions={{ includeSearch: false }} activeProps={{ "data-here": true }}>
            Explorer
          </Link>
        </nav>
      </header>
      {useHasProfile() === false ? <NoProfile /> : <Outlet />}
    </div>
  );
}
