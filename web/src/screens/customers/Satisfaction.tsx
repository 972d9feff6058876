import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type Row, numberOf } from "../../data/insights";
import { formatted } from "../insights/format";
import classes from "./Customers.module.css";

/** How satisfied a customer is, from 1 to 5 whatever survey was sent; null when nobody has said. */
export function satisfaction(row: Row | undefined): number | null {
  const score = numberOf(row, "csat_score_avg");
  if (score !== null) return score;
  const answers = numberOf(row, "csat_received_request_count_two_point_survey") ?? 0;
  return answers > 0 ? 1 + (4 * (numberOf(row, "csat_two_point_positive_responses_count") ?? 0)) / answers : null;
}

/** The score of five and of how many answers, and thumbs beside where there were such surveys. */
export function Satisfaction({ row }: { row: Row | undefined }) {
  const score = numberOf(row, "csat_score_avg");
  const thumbs = numberOf(row, "csat_received_request_count_two_point_survey") ?? 0;
  const up = numberOf(row, "csat_two_point_positive_responses_count") ?? 0;
  if (score === null && thumbs === 0) return <span className={classes.faint}>{t`No ratings`}</span>;
  const said = [];
  const points = formatted(score, "points");
  const answers = numberOf(row, "csat_received_request_count") ?? 0;
  if (score !== null) said.push(t`${points} of 5, ${plural(answers, { one: "# answer", other: "# answers" })}`);
  if (thumbs > 0) said.push(t`${up} of ${thumbs} thumbs up`);
  const percent = formatted(thumbs === 0 ? null : Math.round((100 * up) / thumbs), "percent");
  return (
    <span title={said.join("; ")} data-low={(satisfaction(row) ?? 5) < 3.5} className={classes.score}>
      {score !== null ? (
        <Trans>
          {points} <span className={classes.faint}>of 5</span>
        </Trans>
      ) : (
        <Trans>
          {percent} <span className={classes.faint}>thumbs up</span>
        </Trans>
      )}
    </span>
  );
}
