import { plural, t } from "@lingui/core/macro";
import { Table } from "@mantine/core";
import { type Meta, type Row, dayOf, full, numberOf, valueOf } from "../../data/insights";
import { Explain } from "./Explain";
import classes from "./Insights.module.css";
import { Counted } from "./Counted";
import { type Names, measureTitle, titleOf } from "./names";
import { type Period, bucketHead, bucketName, bucketPeriod, buckets } from "./period";
import { beforeQuery, previousOf, useBefore } from "./previous";
import { type Question, isMissed, isWhole } from "./question";

// More rows are for a spreadsheet.
const mostRows = 300;

/** The rows in figures, each of which opens the requests behind it. */
export function ExplorerTable({
  question,
  rows,
  meta,
  period,
  zone,
  names,
  title: heading,
}: {
  question: Question;
  rows: Row[];
  meta: Meta;
  period: Period;
  zone: string;
  names: Names;
  title?: string;
}) {
  const { rows: past, wanting } = useBefore(beforeQuery(question, period));
  const previous = previousOf(question, period, past);
  const days = question.each ? buckets(period, question.each) : [];
  const { by, each, time, measures } = question;
  const filters = question.filters.filter(isWhole);
  const count = rows.length;
  const measure = (name: string) => meta.measures.find((m) => m.name === full(name));
  const title = (name: string) => measureTitle(name, meta);
  return (
    <section className={classes.card} aria-label={heading ?? t`Table`} {...wanting}>
      <h2 className={classes.cardTitle} dir={heading ? "auto" : undefined}>
        {heading ?? t`Table`} <span className={classes.faint}>{plural(count, { one: "# row", other: "# rows" })}</span>
      </h2>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={heading ? t`Rows of ${heading}` : t`Rows`}>
        <Table stickyHeader verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              {by.map((d) => (
                <Table.Th key={d}>{titleOf(d, meta.dimensions)}</Table.Th>
              ))}
              {each && <Table.Th>{bucketHead(each)}</Table.Th>}
              {measures.map((m) => (
                <Table.Th key={m} ta="right">
                  {title(m)} <Explain title={title(m)} measure={measure(m)} />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, mostRows).map((row, i) => {
              const day = each ? dayOf(row, time, each) : "";
              const groups = by.map((dimension) => ({ dimension, value: valueOf(row, dimension) }));
              return (
                <Table.Tr key={i}>
                  {groups.map((g) => (
                    <Table.Td key={g.dimension} className={classes.name ?? ""}>
                      {names(g.dimension, g.value)}
                    </Table.Td>
                  ))}
                  {each && <Table.Td className={classes.single ?? ""}>{bucketName(day, each)}</Table.Td>}
                  {measures.map((m) => (
                    <Table.Td key={m} ta="right">
                      <Counted
                        value={numberOf(row, m)}
                        unit={measure(m)?.unit}
                        was={previous?.(
                          groups.map((g) => g.value),
                          each ? days.indexOf(day) : 0,
                          m,
                          measure(m)?.unit,
                        )}
                        missed={isMissed(question.target, m, numberOf(row, m))}
                        of={{ measure: m, time, period: each ? bucketPeriod(day, each, period) : period, zone, groups, filters }}
                      />
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </div>
      {rows.length > mostRows && <p className={classes.faint}>{t`Showing the first ${mostRows} rows. Export CSV to get them all.`}</p>}
    </section>
  );
}
