// Modules of the web app, for tests that need no browser.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = join(root, "src");
const entry = "virtual:entry";
const texts = "virtual:texts";

/** Compiles a file of web/src, and returns what it exports. A test of several names them all at once: see sources. */
export async function source(path, options) {
  return (await sources([path], options))[0];
}

/**
 * Compiles files of web/src with what they import, and returns what each exports. They are compiled as the app is, so `t` and
 * Intl work in them: every part's texts are loaded, in the language that `locale` names. The place of src/texts is taken by
 * what is known here anyway, since that asks the browser. One call for all files is one build, which takes two seconds.
 */
export async function sources(paths, { locale = "en-GB" } = {}) {
  const language = locale.split("-")[0];
  const modules = {
    // What is said is loaded into the library that the files were compiled with.
    [entry]: `import { i18n } from "@lingui/core";
      const files = import.meta.glob("/src/texts/*/${language}.po", { eager: true });
      for (const { messages } of Object.values(files)) i18n.load("${language}", messages);
      i18n.activate("${language}", "${locale}");
      ${paths.map((path, i) => `export * as file${i} from ${JSON.stringify(join(src, path))};`).join("\n")}`,
    [texts]: `export const language = "${language}", locale = "${locale}";`,
  };
  const ours = {
    name: "source",
    enforce: "pre",
    resolveId(id, importer) {
      const known = id.startsWith(".") && importer && join(importer, "..", id) === join(src, "texts") ? texts : id;
      return known in modules ? `\0${known}` : null;
    },
    load: (id) => modules[id.slice(1)] ?? null,
  };
  const outDir = await mkdtemp(join(tmpdir(), "frontdesk-source-"));
  try {
    await build({
      root,
      logLevel: "error",
      publicDir: false,
      plugins: [ours],
      ssr: { noExternal: true },
      build: { ssr: true, outDir, target: "node20", rolldownOptions: { input: { module: entry }, output: { codeSplitting: false, entryFileNames: "[name].mjs" } } },
    });
    const files = await import(pathToFileURL(join(outDir, "module.mjs")).href);
    return paths.map((_, i) => files[`file${i}`]);
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}
