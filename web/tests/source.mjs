// A module of the web app, for tests that need no browser. What it says is in English.
import babel, { defineRolldownBabelPreset } from "@rolldown/plugin-babel";
import { fileURLToPath } from "node:url";
import { build } from "vite";

// The English texts stay in the code, since no others are loaded.
const texts = defineRolldownBabelPreset({
  preset: { plugins: [["@lingui/babel-plugin-lingui-macro", { stripMessageField: false }]] },
  rolldown: { filter: { code: /from "@lingui\/core\/macro"/ } },
});

const begin = `
import { i18n as texts } from "@lingui/core";
import { compileMessage } from "@lingui/message-utils/compileMessage";
texts.setMessagesCompiler(compileMessage);
texts.loadAndActivate({ locale: "en", messages: {} });`;

/** Compiles a file of web/src with what it imports, and returns what it exports. */
export async function source(path) {
  const entry = fileURLToPath(new URL(`../src/${path}`, import.meta.url));
  const english = { name: "english", transform: (code, id) => (id === entry ? `${begin}\n${code}` : null) };
  const { output } = await build({
    configFile: false,
    logLevel: "error",
    plugins: [english, babel({ presets: [texts] })],
    ssr: { noExternal: true },
    build: { ssr: entry, write: false, target: "node20" },
  });
  return await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}
