// The colours of a chart. They tell its series apart, except for the one that means
// something: red is what is late, here as everywhere.

const others = ["accent.5", "teal.6", "orange.6", "grape.5", "cyan.6", "pink.5", "lime.7", "gray.6"];
const lates = ["red.8", "red.4", "red.6", "red.9", "red.3", "red.7", "red.5", "red.2"];

export const mostSeries = others.length;

/** Whether a measure counts what is late. */
export const isLate = (measure: string) => /_breached(_percent)?$/.test(measure);

/** A colour for each measure or group, by their names. Groups of a measure that counts what is late are all late. */
export function coloursOf(names: string[], ofLate = false): string[] {
  let [late, other] = [0, 0];
  return names.map((name) => (ofLate || isLate(name) ? lates[late++ % lates.length]! : others[other++ % others.length]!));
}
