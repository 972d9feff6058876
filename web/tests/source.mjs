// A module of the web app, for tests that need no browser.
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** Compiles a file of web/src with what it imports, and returns what it exports. */
export async function source(path) {
  const entry = fileURLToPath(new URL(`../src/${path}`, import.meta.url));
  const { output } = await build({ configFile: false, logLevel: "error", ssr: { noExternal: true }, build: { ssr: entry, write: false, target: "node20" } });
  return await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}
