export function Sandbox() {
  return null;
}
