// How filters compare, in words.
const names: Record<string, string> = {
  equals: "is",
  not_equals: "is not",
  contains: "contains",
  not_contains: "does not contain",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  set: "has a value",
  not_set: "has no value",
  in_date_range: "is between",
  before_date: "is before",
  after_date: "is after",
};

export const operatorName = (operator: string) => names[operator] ?? operator.replaceAll("_", " ");
