// The colours of a chart. They tell its series apart, except for the one that means
// something: red is what is late, here as everywhere.

const others = ["accent.5", "teal.6", "orange.6", "grape.5", "cyan.6", "pink.5", "lime.7", "gray.6"];
const lates = ["red.8", "red.4", "red.6"];

export const mostSeries = others.length;

/** Whether a measure counts what is late. */
const isLate = (measure: string) => /_breached(_percent)?$/.test(measure);

/** A colour for each measure or group, by their names. */
export function coloursOf(names: string[]): string[] {
  let [late, other] = [0, 0];
  return names.map((name) => (isLate(name) ? lates[late++ % lates.length]! : others[other++ % others.length]!));
}
