export function Insights() {
  return null;
}
