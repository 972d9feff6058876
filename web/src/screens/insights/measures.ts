// What the measures of the API are called and what they mean, in the language of the page. The API's titles are made of
// the names, for programs. A measure that is not here is shown with those.
import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { type Measure, short } from "../../data/insights";

type Words = { title: string; meaning: string };
type Known = { title: MessageDescriptor; meaning: MessageDescriptor };

/** Lengths and scores: of each there are an average and percentiles. */
const spread: Record<string, Known> = {
  response_times: { title: msg`Reply time`, meaning: msg`Minutes from a requester’s message to the next reply of a responder` },
  resolution_time: { title: msg`Resolution time`, meaning: msg`Minutes from the request to its resolution` },
  first_response_time: { title: msg`First response time`, meaning: msg`Minutes from the request to its first response` },
  first_resolution_time: { title: msg`First resolution time`, meaning: msg`Minutes from the request to its first resolution` },
  csat_score: { title: msg`CSAT score`, meaning: msg`Answers to five-point surveys` },
};

const counted: Record<string, Known> = {
  count: { title: msg`Requests`, meaning: msg`All requests.` },
  first_response_request_count: { title: msg`Answered requests`, meaning: msg`Requests that have had a first response.` },
  first_response_time_sla_request_count: { title: msg`With a first response SLA`, meaning: msg`Requests with an SLA policy for the first response.` },
  resolution_time_sla_request_count: { title: msg`With a resolution SLA`, meaning: msg`Requests with an SLA policy for the resolution.` },
  one_touch_resolution_sla_request_count: { title: msg`With a reply limit`, meaning: msg`Requests with an SLA policy that limits the number of replies.` },
  first_response_sla_breached: { title: msg`First response breached`, meaning: msg`Requests whose first response came, or is, later than the SLA allows.` },
  resolution_time_sla_breached: { title: msg`Resolution breached`, meaning: msg`Requests whose resolution came, or is, later than the SLA allows.` },
  one_touch_resolution_breached: { title: msg`Reply limit breached`, meaning: msg`Requests resolved with more replies than the SLA allows.` },
  first_response_sla_breached_percent: { title: msg`First response breached, %`, meaning: msg`Of the requests with an SLA policy for the first response, the share that breached it.` },
  resolution_time_sla_breached_percent: { title: msg`Resolution breached, %`, meaning: msg`Of the requests with an SLA policy for the resolution, the share that breached it.` },
  one_touch_resolution_breached_percent: { title: msg`Reply limit breached, %`, meaning: msg`Of the requests with a reply limit, the share that breached it.` },
  requests_in_solved_state: { title: msg`Solved requests`, meaning: msg`Requests that are solved.` },
  first_resolution_requests_count: { title: msg`Resolved at least once`, meaning: msg`Requests that have been resolved at least once.` },
  resolved_requests_count: { title: msg`Solved or closed requests`, meaning: msg`Requests that are solved or closed.` },
  resolution_rate_percent: { title: msg`Resolution rate`, meaning: msg`Of all requests, the share that is solved or closed.` },
  agent_trigger_count: { title: msg`Virtual agent: calls`, meaning: msg`How often the virtual agent was called.` },
  agent_response_count: { title: msg`Virtual agent: messages`, meaning: msg`Messages the virtual agent sent.` },
  agent_answer_count: { title: msg`Virtual agent: generated answers`, meaning: msg`Messages of the virtual agent with a generated answer.` },
  agent_positive_feedback_count: { title: msg`Virtual agent: times marked as solved`, meaning: msg`How often someone said that the virtual agent solved it.` },
  agent_negative_feedback_count: { title: msg`Virtual agent: tickets wanted`, meaning: msg`How often someone asked the virtual agent for a ticket.` },
  virtual_agent_session_count: { title: msg`Virtual agent: sessions`, meaning: msg`Conversations the virtual agent took part in.` },
  virtual_agent_session_with_resolution_attempt_count: { title: msg`Virtual agent: sessions with an answer`, meaning: msg`Sessions with a generated answer.` },
  virtual_agent_resolution_attempt_rate_percent: { title: msg`Virtual agent: answer rate`, meaning: msg`Of all sessions, the share with a generated answer.` },
  virtual_agent_deflected_session_count: { title: msg`Virtual agent: deflected sessions`, meaning: msg`Sessions with a generated answer that needed no responder and no ticket.` },
  virtual_agent_deflection_rate_percent: { title: msg`Virtual agent: deflection rate`, meaning: msg`Of all sessions, the share that was deflected.` },
  virtual_agent_positive_feedback_count: { title: msg`Virtual agent: sessions marked as solved`, meaning: msg`Sessions in which someone said that it is solved.` },
  virtual_agent_negative_feedback_count: { title: msg`Virtual agent: sessions with a ticket wanted`, meaning: msg`Sessions in which someone asked for a ticket.` },
  csat_triggered_request_count: { title: msg`Surveys sent`, meaning: msg`Requests with a five-point survey.` },
  csat_received_request_count: { title: msg`Surveys answered`, meaning: msg`Requests whose five-point survey was answered.` },
  csat_response_percent: { title: msg`Survey response rate`, meaning: msg`Of all five-point surveys, the share that was answered.` },
  csat_received_request_count_two_point_survey: { title: msg`Thumbs surveys answered`, meaning: msg`Requests whose thumbs survey was answered.` },
  csat_two_point_positive_responses_count: { title: msg`Thumbs up`, meaning: msg`Thumbs surveys answered with a thumb up.` },
  csat_two_point_negative_responses_count: { title: msg`Thumbs down`, meaning: msg`Thumbs surveys answered with a thumb down.` },
};

/** One of five numbers about lengths or scores. */
function ofSpread(name: string): Words | null {
  const [, of, figure] = /^(.*)_(avg|p50|p75|p90|p95)$/.exec(name) ?? [];
  const known = spread[of ?? ""];
  if (!known) return null;
  const title = i18n._(known.title);
  const meaning = i18n._(known.meaning);
  switch (figure) {
    case "avg":
      return { title: t`${title}, average`, meaning: t`${meaning}: the average.` };
    case "p50":
      return { title: t`${title}, median`, meaning: t`${meaning}: half of them are at most this.` };
    case "p75":
      return { title: t`${title}, 75th percentile`, meaning: t`${meaning}: three quarters of them are at most this.` };
    case "p90":
      return { title: t`${title}, 90th percentile`, meaning: t`${meaning}: nine tenths of them are at most this.` };
    default:
      return { title: t`${title}, 95th percentile`, meaning: t`${meaning}: 95 of a hundred are at most this.` };
  }
}

/** What a measure is called and means. */
export function wordsOf(measure: Pick<Measure, "name" | "title" | "meaning">): Words {
  const name = short(measure.name);
  const known = counted[name];
  if (known) return { title: i18n._(known.title), meaning: i18n._(known.meaning) };
  // The API has the average of this one by two names.
  if (name === "resolution_time") return { title: i18n._(spread[name]!.title), meaning: ofSpread("resolution_time_avg")!.meaning };
  return ofSpread(name) ?? { title: measure.title, meaning: measure.meaning };
}
