import { t } from "@lingui/core/macro";
import { AppLink } from "../../parts/AppLink";
import { type Of, behind } from "./behind";
import { type Unit, formatted } from "./format";
import classes from "./Insights.module.css";

/** A number that opens the requests behind it. Where there is none, it opens nothing. */
export function Counted({
  value,
  unit,
  of,
  was,
  missed = false,
  className = "",
}: {
  value: number | null;
  unit: Unit;
  of: Of;
  /** The number of the time before; undefined where it is not known. */
  was?: number | null | undefined;
  missed?: boolean;
  className?: string;
}) {
  const text = formatted(value, unit);
  const past = was === undefined ? "" : formatted(was, unit);
  const before = past && t`Before: ${past}`;
  if (value === null || (value === 0 && unit === undefined))
    return (
      <span className={className} title={before || undefined} data-missed={missed || undefined}>
        {text}
      </span>
    );
  const { href, title, exact } = behind(of);
  return (
    <AppLink href={href} title={before ? `${title}\n${before}` : title} className={`${classes.number} ${className}`} data-exact={exact} data-missed={missed || undefined}>
      {text}
    </AppLink>
  );
}
