import { IconArrowDownRight, IconArrowUpRight } from "@tabler/icons-react";
import type { Measure } from "../../data/insights";
import { Sparkline } from "../../parts/Sparkline";
import { Explain } from "./Explain";
import classes from "./Insights.module.css";
import { Counted } from "./Counted";
import type { Of } from "./behind";
import { change } from "./format";

/** A number with what became of it. */
export function Figure({
  title,
  measure,
  value,
  was,
  trend,
  better,
  of,
}: {
  title: string;
  measure: Measure | undefined;
  value: number | null;
  was: number | null;
  trend: (number | null)[];
  better: "more" | "less" | null;
  of: Of;
}) {
  const changed = change(value, was, measure?.unit);
  const good = changed && better && changed.sign !== 0 ? changed.sign > 0 === (better === "more") : null;
  return (
    <section className={classes.figure} aria-label={title}>
      <div className={classes.figureHead}>
        <h2 className={classes.figureTitle}>{title}</h2>
        <Explain title={title} measure={measure} />
      </div>
      <Counted value={value} unit={measure?.unit} of={of} className={classes.figureNumber ?? ""} />
      <div className={classes.figureFoot}>
        <span className={classes.change} data-good={good ?? undefined}>
          {changed ? (
            <>
              {changed.sign > 0 && <IconArrowUpRight size={14} aria-hidden />}
              {changed.sign < 0 && <IconArrowDownRight size={14} aria-hidden />}
              {changed.text}
            </>
          ) : (
            "no comparison"
          )}
        </span>
        <Sparkline values={trend} label={`${title} over this period`} />
      </div>
    </section>
  );
}
