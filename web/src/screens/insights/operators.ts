// How filters compare, in words.
import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
const names: Record<string, MessageDescriptor> = {
  equals: msg`is`,
  not_equals: msg`is not`,
  contains: msg`contains`,
  not_contains: msg`does not contain`,
  gt: msg`is more than`,
  gte: msg`is at least`,
  lt: msg`is less than`,
  lte: msg`is at most`,
  set: msg`has a value`,
  not_set: msg`has no value`,
  in_date_range: msg`is between`,
  before_date: msg`is before`,
  after_date: msg`is after`,
};

export function operatorName(operator: string): string {
  const known = names[operator];
  return known ? i18n._(known) : operator.replaceAll("_", " ");
}
