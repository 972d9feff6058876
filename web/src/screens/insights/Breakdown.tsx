import { type MessageDescriptor, i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Button, Table } from "@mantine/core";
import { useState } from "react";
import { type Meta, type Row, full, measured, numberOf, valueOf } from "../../data/insights";
import classes from "./Insights.module.css";
import { Counted } from "./Counted";
import type { Of } from "./behind";
import { useNames } from "./names";
import { before } from "./period";
import { useBefore } from "./previous";

const few = 8;
// Where the order means something, it is kept.
const ordered: Record<string, string[]> = { priority: ["urgent", "high", "normal", "low"], state: ["open", "in_progress", "pending", "on_hold", "solved", "closed"] };

/** The same measures of each customer, collection, person…; the largest first. */
export function Breakdown({
  title,
  dimension,
  measures,
  rows,
  meta,
  of,
}: {
  title: string;
  dimension: string;
  measures: { measure: string; label: MessageDescriptor }[];
  rows: Row[];
  meta: Meta | undefined;
  of: (part: Partial<Of>) => Of;
}) {
  const [all, setAll] = useState(false);
  const { period, filters } = of({});
  const { from, to } = before(period!);
  const { rows: past, wanting } = useBefore({
    measures: measures.map((m) => full(m.measure)),
    time_dimensions: [{ dimension: full("created_at"), date_range: [from, to] }],
    dimensions: [full(dimension)],
    ...(filters.length > 0 && { filters }),
  });
  const names = useNames([dimension], rows, meta);
  const first = measures[0]?.measure ?? "count";
  const order = ordered[dimension];
  const sorted = rows.toSorted((a, b) =>
    order
      ? order.indexOf(String(valueOf(a, dimension))) - order.indexOf(String(valueOf(b, dimension)))
      : dimension === "csat_score"
        ? (numberOf(b, dimension) ?? 0) - (numberOf(a, dimension) ?? 0)
        : (numberOf(b, first) ?? -1) - (numberOf(a, first) ?? -1),
  );
  const most = Math.max(1, ...rows.map((r) => numberOf(r, first) ?? 0));
  const count = sorted.length;
  const shown = all ? sorted : sorted.slice(0, few);
  return (
    <section className={classes.card} aria-label={title} {...wanting}>
      <h2 className={classes.cardTitle}>{title}</h2>
      <div className={classes.scroll}>
        <Table verticalSpacing={5}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>
                <span className="visually-hidden">{title}</span>
              </Table.Th>
              {measures.map((m) => (
                <Table.Th key={m.measure} ta="right">
                  {i18n._(m.label)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row) => {
              const value = valueOf(row, dimension);
              return (
                <Table.Tr key={String(value)}>
                  <Table.Th scope="row" className={classes.rowName ?? ""}>
                    <span className={classes.bar} style={{ inlineSize: `${((numberOf(row, first) ?? 0) / most) * 100}%` }} aria-hidden />
                    <span className={classes.name} dir="auto">
                      {names(dimension, value)}
                    </span>
                  </Table.Th>
                  {measures.map((m) => (
                    <Table.Td key={m.measure} ta="right">
                      <Counted
                        value={numberOf(row, m.measure)}
                        unit={meta?.measures.find((x) => x.name === full(m.measure))?.unit}
                        was={
                          past &&
                          measured(
                            past.find((r) => valueOf(r, dimension) === value),
                            m.measure,
                            meta?.measures.find((x) => x.name === full(m.measure))?.unit,
                          )
                        }
                        of={of({ measure: m.measure, groups: [{ dimension, value }] })}
                      />
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </div>
      {sorted.length > few && (
        <Button variant="subtle" size="compact-xs" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? t`Show fewer` : t`Show all ${count}`}
        </Button>
      )}
    </section>
  );
}
