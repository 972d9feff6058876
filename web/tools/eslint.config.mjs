// The rules of hooks and of texts, which types cannot check. Everything else about the code is for the compiler and the
// formatter.
import parser from "@typescript-eslint/parser";
import lingui from "eslint-plugin-lingui";
import hooks from "eslint-plugin-react-hooks";

/** Where every text is in both languages. */
const translated = ["src/screens/inbox/**", "src/screens/settings/Preferences.tsx"];

/** What holds no text that anybody reads: attributes, properties and calls. */
const ignoreNames = [
  {
    regex: {
      pattern:
        "^(className|style|styles|key|id|to|from|href|src|rel|target|type|name|role|variant|size|color|component|position|align|justify|gap|wrap|w|h|maw|mah|mih|miw|m[trblxy]?|p[trblxy]?|c|fz|fw|bg|flex|display|d|viewBox|fill|stroke.*|transform|data-.*|autoComplete|inputMode|dir|lang|pattern|accept|rightSectionPointerEvents|overflowWrap|scrollbars|keys?|queryKey|path)$",
    },
  },
  {
    regex: {
      pattern: "^(aria-(live|current|expanded|haspopup|hidden|labelledby|describedby|controls|orientation|sort|pressed|checked|selected|modal|autocomplete|activedescendant|busy|atomic|relevant))$",
    },
  },
];
const ignoreFunctions = [
  "*.addEventListener",
  "*.removeEventListener",
  "*.querySelector",
  "*.querySelectorAll",
  "*.closest",
  "*.matches",
  "matchMedia",
  "*.startsWith",
  "*.endsWith",
  "*.includes",
  "*.split",
  "*.join",
  "*.getItem",
  "*.setItem",
  "*.removeItem",
  "*.get",
  "*.set",
  "*.has",
  "*.append",
  "*.GET",
  "*.POST",
  "*.PUT",
  "*.PATCH",
  "*.DELETE",
  "Intl.*",
  "import",
  "Date",
  "Error",
  "console.*",
  "lazyRouteComponent",
  "withTexts",
  "useCommands.*",
  "*.setAttribute",
  "*.getAttribute",
  "*.toLocaleString",
];

export default [
  { ignores: ["src/api/schema.d.ts"] },
  {
    files: ["src/**/*.ts", "src/**/*.tsx"],
    languageOptions: { parser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { "react-hooks": hooks, lingui },
    rules: {
      // The plugin's other rules prepare code for the React Compiler, which is not used here. They take ten times as long.
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      // At module level, the texts are not loaded yet.
      "lingui/t-call-in-function": "error",
      // Translators see the name of a value, and no expression.
      "lingui/no-expression-in-message": "error",
      "lingui/no-single-variables-to-translate": "error",
      "lingui/no-trans-inside-trans": "error",
    },
  },
  {
    files: translated,
    // Anything that begins with a capital letter or has a space may be a text.
    rules: {
      "lingui/no-unlocalized-strings": ["error", { ignore: ["^(?![A-Z])\\S*$", "^[A-Z0-9_-]+$", "^[a-z0-9 .,:()%#/*-]*(px|em|%|fr|vh|vw|s)[a-z0-9 .,:()%#/*-]*$"], ignoreNames, ignoreFunctions }],
    },
  },
];
