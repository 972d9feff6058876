// The rules of hooks and of texts, which types cannot check. Everything else about the code is for the compiler and the
// formatter.
import parser from "@typescript-eslint/parser";
import lingui from "eslint-plugin-lingui";
import hooks from "eslint-plugin-react-hooks";

/** Products are called the same in every language. Browsers say their names with a slash. */
const products = "^(Frontdesk|Slack|Mattermost|Zendesk|Freshdesk|Intercom|Jira|HubSpot|Salesforce|Linear|Edge|Edg|Opera|OPR|Firefox|Chrome|Safari|Android|Windows|Mac OS|Linux)/?$";

/** What holds no text that anybody reads: attributes, properties and calls. */
const ignoreNames = [
  {
    regex: {
      pattern:
        "^(className|style|styles|key|id|to|from|href|src|rel|target|type|name|role|variant|size|color|component|position|align|justify|gap|wrap|w|h|maw|mah|mih|miw|m[trblxy]?|p[trblxy]?|c|fz|fw|bg|flex|display|d|viewBox|fill|stroke.*|transform|data-.*|autoComplete|inputMode|dir|lang|pattern|accept|rightSectionPointerEvents|overflowWrap|scrollbars|keys?|queryKey|path|Authorization|fontFamily.*)$",
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
  "*.setRequestHeader",
  "*.getModifierState",
  "Date",
  "Date.parse",
  "Intl.*",
  "import",
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
      // Ours cost nothing before they are seen.
      "no-restricted-imports": ["error", { paths: [{ name: "@mantine/core", importNames: ["Modal", "Tooltip"], message: "Dialog and Tip in src/parts." }] }],
      // At module level, the texts are not loaded yet.
      "lingui/t-call-in-function": "error",
      // Translators see the name of a value, and no expression.
      "lingui/no-expression-in-message": "error",
      "lingui/no-single-variables-to-translate": "error",
      "lingui/no-trans-inside-trans": "error",
      // Every text is in both languages. Anything that begins with a capital letter or has a space may be a text.
      "lingui/no-unlocalized-strings": [
        "error",
        { ignore: ["^(?![A-Z])\\S*$", "^[A-Z0-9_-]+$", "^T[0-9:]+Z?$", "^curl ", products, "^[a-z0-9 .,:()%#/*-]*(px|em|%|fr|vh|vw|s)[a-z0-9 .,:()%#/*-]*$"], ignoreNames, ignoreFunctions },
      ],
    },
  },
  { files: ["src/parts/Dialog.tsx", "src/parts/Tip.tsx"], rules: { "no-restricted-imports": "off" } },
];
