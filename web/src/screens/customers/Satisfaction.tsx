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
  if (score === null && thumbs === 0) return <span className={classes.faint}>No ratings</span>;
  const said = [];
  if (score !== null) said.push(`${formatted(score, "points")} of 5, ${numberOf(row, "csat_received_request_count")} answers`);
  if (thumbs > 0) said.push(`${up} of ${thumbs} thumbs up`);
  return (
    <span title={said.join("; ")} data-low={(satisfaction(row) ?? 5) < 3.5} className={classes.score}>
      {score !== null ? formatted(score, "points") : `${Math.round((100 * up) / thumbs)} %`}
      <span className={classes.faint}> {score !== null ? "of 5" : "thumbs up"}</span>
    </span>
  );
}
