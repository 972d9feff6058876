// The query of the address bar as plain words: `?state=open,pending&query=printer`.
// A link that somebody reads aloud should make sense.

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === "" || value === false) continue;
    words.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const text = words.toString().replaceAll("%2C", ",");
  return text && `?${text}`;
}
