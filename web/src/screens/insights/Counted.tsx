import { AppLink } from "../../parts/AppLink";
import { type Of, behind } from "./behind";
import { type Unit, formatted } from "./format";
import classes from "./Insights.module.css";

/** A number that opens the requests behind it. Where there is none, it opens nothing. */
export function Counted({ value, unit, of, className = "" }: { value: number | null; unit: Unit; of: Of; className?: string }) {
  const text = formatted(value, unit);
  if (value === null || (value === 0 && unit === undefined)) return <span className={className}>{text}</span>;
  const { href, title, exact } = behind(of);
  return (
    <AppLink href={href} title={title} className={`${classes.number} ${className}`} data-exact={exact}>
      {text}
    </AppLink>
  );
}
