import { t } from "@lingui/core/macro";
import { IconUsers } from "@tabler/icons-react";
import { useViewCounts } from "../../data/viewCounts";
import { useCommands } from "../../frame/commands";
import { stringifySearch } from "../../frame/address";
import { FoldButton, useFolded, useIsPhone } from "../../parts/Panes";
import { useMediaQuery } from "@mantine/hooks";
import { memo } from "react";
import { type Filters, toAddress, toViewQuery } from "./filters";
import classes from "./Sidebar.module.css";
import { type Shown, countText, useViews } from "./views";

/** Whether the views stand beside the list. On a narrow screen they do so only for who wants it. */
export function useSidebar(): [shown: boolean, fold: (folded: boolean) => void, usually: boolean] {
  const isNarrow = useMediaQuery("(max-width: 80em)", false, { getInitialValueInEffect: false });
  const [folded, fold] = useFolded("views", isNarrow);
  return [!useIsPhone() && !folded, fold, isNarrow];
}

/** The views beside the list, with how many requests each has. */
export const Sidebar = memo(function Sidebar({ filters, narrow }: { filters: Filters; narrow: (f: Filters) => void }) {
  const { builtIn, kept, current, known } = useViews(filters);
  const counts = useViewCounts(
    [...builtIn, ...kept].map((v) => toViewQuery(v.filters)),
    known, // or they would be counted twice
  );
  const [shown, fold, usually] = useSidebar();
  useCommands([{ id: "fold views", label: t`Hide or show the views`, keys: "{", group: t`List`, run: () => fold(shown), keyOnly: true }]);
  const item = (v: Shown) => {
    const count = counts.get(toViewQuery(v.filters));
    return (
      <li key={v.key}>
        <a
          className={classes.view}
          href={`/requests${stringifySearch(toAddress(v.filters))}`}
          aria-current={v.key === current?.key ? "true" : undefined}
          onClick={(e) => {
            if (e.metaKey || e.ctrlKey || e.shiftKey) return;
            e.preventDefault();
            narrow(v.filters);
          }}
        >
          <span className={classes.name} dir="auto" title={v.name}>
            {v.name}
          </span>
          {v.kept?.shared && <IconUsers size={12} className={classes.sign} role="img" aria-label={t({ message: "Shared", context: "view" })} />}
          <span className={classes.count}>{countText(count)}</span>
        </a>
      </li>
    );
  };
  const section = (label: string, views: Shown[]) =>
    views.length > 0 && (
      <>
        <p className={classes.label}>{label}</p>
        <ul aria-label={label}>{views.map(item)}</ul>
      </>
    );
  return (
    <nav className={classes.sidebar} aria-label={t`Views`}>
      <div className={classes.head}>
        <span>{t`Views`}</span>
        <FoldButton name="views" label={t`the views`} side="start" usually={usually} />
      </div>
      <ul aria-label={t`Views`}>{builtIn.map(item)}</ul>
      {section(
        t`Your views`,
        kept.filter((v) => !v.kept?.shared),
      )}
      {section(
        t({ message: "Shared", context: "views" }),
        kept.filter((v) => v.kept?.shared),
      )}
    </nav>
  );
});
