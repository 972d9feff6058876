import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { dashboardsQuery, makeDashboard } from "../../data/explorations";
import { type EventType, follow } from "../../data/live";
import { useHasProfile } from "../../data/me";
import { useCommands } from "../../frame/commands";
import classes from "./Insights.module.css";
import { NameDialog } from "./NameDialog";
import { NoProfile } from "./NoProfile";
import { dashboardSearch, dashboards } from "./dashboards";

// Events that change the figures. A busy desk has many of them, so the figures are
// refreshed at most once per pause.
const telling: EventType[] = ["request.created", "request.updated", "message.created", "sla.breached", "csat.received", "ticket.created", "ticket.linked"];
const pause = 15_000;

const pageLabel = (page: string) => t`Insights: ${page}`;
const ownLabel = (dashboard: string) => t`Dashboard: ${dashboard}`;

/** The four dashboards and the explorer. */
export function Insights() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const own = useQuery(dashboardsQuery).data ?? [];
  const [naming, setNaming] = useState(false);
  const open = (id: number) => void navigate({ to: "/insights/dashboards/$id", params: { id: String(id) } });
  useCommands([
    { id: "insights.new", label: t`New dashboard`, group: t`Insights`, run: () => setNaming(true), opens: true },
    ...own.map((d) => ({ id: `insights.own.${d.id}`, label: ownLabel(d.name), group: t`Insights`, run: () => open(d.id) })),
    ...dashboards.map((d) => ({
      id: `insights.${d.name}`,
      label: pageLabel(i18n._(d.label)),
      group: t`Insights`,
      run: () => void navigate({ to: "/insights/$dashboard", params: { dashboard: d.name } }),
    })),
    { id: "insights.explorer", label: pageLabel(t`Explorer`), group: t`Insights`, run: () => void navigate({ to: "/insights/explorer" }) },
  ]);
  const profile = useHasProfile();
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
        <h1 className={classes.title}>{t`Insights`}</h1>
        <nav className={classes.tabs} aria-label={t`Insights`}>
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
              {i18n._(d.label)}
            </Link>
          ))}
          {own.map((d) => (
            <Link
              key={d.id}
              to="/insights/dashboards/$id"
              params={{ id: String(d.id) }}
              search={{}}
              className={classes.tab}
              activeOptions={{ includeSearch: false }}
              activeProps={{ "data-here": true }}
            >
              <bdi>{d.name}</bdi>
            </Link>
          ))}
          <Link to="/insights/explorer" search={(now) => ({ range: dashboardSearch(now).range })} className={classes.tab} activeOptions={{ includeSearch: false }} activeProps={{ "data-here": true }}>
            {t`Explorer`}
          </Link>
        </nav>
        {profile !== false && (
          <Button variant="subtle" size="compact-sm" leftSection={<IconPlus size={14} aria-hidden />} onClick={() => setNaming(true)}>
            {t`New dashboard`}
          </Button>
        )}
      </header>
      <NameDialog opened={naming} title={t`New dashboard`} was={null} send={async (named) => open((await makeDashboard(client, named)).id)} done={() => {}} close={() => setNaming(false)} />
      {profile === false ? <NoProfile /> : <Outlet />}
    </div>
  );
}
