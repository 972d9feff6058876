// The rules of hooks, which types cannot check. Everything else about the code is for the compiler and the formatter.
import parser from "@typescript-eslint/parser";
import hooks from "eslint-plugin-react-hooks";

export default [
  { ignores: ["src/api/schema.d.ts"] },
  {
    files: ["src/**/*.ts", "src/**/*.tsx"],
    languageOptions: { parser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { "react-hooks": hooks },
    // The plugin's other rules prepare code for the React Compiler, which is not used here. They take ten times as long.
    rules: { "react-hooks/rules-of-hooks": "error", "react-hooks/exhaustive-deps": "error" },
  },
];
