import { t } from "@lingui/core/macro";
import { IconArrowDownRight, IconArrowUpRight } from "@tabler/icons-react";
import type { Target } from "../../data/explorations";
import { type Measure, short } from "../../data/insights";
import { Sparkline } from "../../parts/Sparkline";
import { Explain } from "./Explain";
import classes from "./Insights.module.css";
import { Counted } from "./Counted";
import type { Of } from "./behind";
import { isLate } from "./colours";
import { change, targetText } from "./format";
import { isMissed } from "./question";

/** A number with what became of it. */
export function Figure({
  title,
  measure,
  value,
  was,
  trend,
  better,
  of,
  target,
}: {
  title: string;
  measure: Measure | undefined;
  value: number | null;
  /** Undefined until it is known. */
  was: number | null | undefined;
  trend: (number | null)[];
  better: "more" | "less" | null;
  of: Of;
  target?: Target | null;
}) {
  const missed = isMissed(target, of.measure, value);
  const changed = change(value, was ?? null, measure?.unit);
  const good = changed && better && changed.sign !== 0 ? changed.sign > 0 === (better === "more") : null;
  return (
    <section className={classes.figure} aria-label={title}>
      <div className={classes.figureHead}>
        <h2 className={classes.figureTitle}>{title}</h2>
        <Explain title={title} measure={measure} />
      </div>
      <Counted value={value} unit={measure?.unit} of={of} was={was} missed={missed} className={classes.figureNumber ?? ""} />
      <div className={classes.figureFoot}>
        <span className={classes.change} data-good={good ?? undefined}>
          {changed ? (
            <>
              {changed.sign > 0 && <IconArrowUpRight size={14} aria-hidden />}
              {changed.sign < 0 && <IconArrowDownRight size={14} aria-hidden />}
              {changed.text}
            </>
          ) : (
            t`no comparison`
          )}
        </span>
        <Sparkline values={trend} label={t`${title} over this period`} late={isLate(of.measure)} />
      </div>
      {target && of.measure === short(target.measure) && (
        <div className={classes.target} data-missed={missed || undefined}>
          {targetText(target, measure?.unit)}
          {missed && ` · ${t`missed`}`}
        </div>
      )}
    </section>
  );
}
