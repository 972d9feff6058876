import { t } from "@lingui/core/macro";
import { Title } from "@mantine/core";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useIsAdmin } from "../../data/me";
import { useCommands } from "../../frame/commands";
import { groups, pages } from "./pages";
import classes from "./Settings.module.css";

/** The pages at the side, and one of them. On a phone, the list and then the page. */
export function Settings() {
  const path = useRouterState({ select: (s) => s.location.pathname });
  const isAdmin = useIsAdmin();
  const navigate = useNavigate();
  const shown = pages.filter((p) => isAdmin || !p.adminOnly).map((p) => ({ ...p, label: p.label() }));
  const atList = path.replace(/\/$/, "") === "/settings";
  useCommands(
    shown.map(({ path, label }) => ({ id: `settings ${path}`, label: t`Settings: ${label}`, group: t`Settings`, run: () => void navigate({ to: "/settings/$page", params: { page: path } }) })),
  );
  return (
    <div className={classes.settings} data-list={atList || undefined}>
      <nav className={classes.side} aria-label={t`Settings`}>
        {/* On a phone the list is a page of its own; beside a page, the page has the heading. */}
        {atList ? (
          <Title order={1} className={classes.title}>
            {t`Settings`}
          </Title>
        ) : (
          <div className={classes.title}>{t`Settings`}</div>
        )}
        {groups().map(({ group, label }) => {
          const of = shown.filter((p) => p.group === group);
          if (of.length === 0) return null;
          return (
            <section key={group} aria-label={label}>
              <div className={classes.group}>{label}</div>
              {of.map((p) => {
                const here = path === `/settings/${p.path}` || path.startsWith(`/settings/${p.path}/`);
                return (
                  <Link key={p.path} to="/settings/$page" params={{ page: p.path }} search={{}} className={classes.page} {...(here && { "data-here": true, "aria-current": "page" as const })}>
                    <p.icon size={16} stroke={1.7} aria-hidden />
                    {p.label}
                  </Link>
                );
              })}
            </section>
          );
        })}
      </nav>
      <div className={classes.content}>
        <Outlet />
      </div>
    </div>
  );
}
