import { lingui } from "@lingui/vite-plugin";
import babel, { defineRolldownBabelPreset } from "@rolldown/plugin-babel";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The address of a running `frontdesk demo`, for `npm run dev`.
const desk = "http://127.0.0.1:8080";

// What every screen needs of the libraries, and of them and of our own parts what only forms, tables and settings need: that
// comes later than the inbox.
const libraries = /node_modules[\\/](react|react-dom|scheduler|@tanstack|openapi-fetch|@floating-ui|@mantine[\\/](core|hooks|notifications)|clsx|react-(remove|style|transition)[a-z-]*)[\\/]/;
const forms =
  /@mantine[\\/](core[\\/]esm[\\/]components[\\/](Accordion|Autocomplete|Badge|Checkbox|Collapse|ColorSwatch|Combobox|Container|FileButton|FileInput|FloatingIndicator|MultiSelect|NumberInput|Pill|PillsInput|Radio|Rating|ScrollArea|SegmentedControl|Select|Slider|Table|TagsInput|Textarea)|hooks[\\/]esm[\\/]use-(collapse|drag|long-press|move))[\\/]/;
const common = /src[\\/](api|data|frame|parts|theme)[\\/]/;
const notInbox = /src[\\/](parts[\\/](Copy|person|Saved|SavedField|Sparkline|week)|data[\\/](addresses|integrations|schedules|sessions|slaPolicies|ticketForms|tokens|webhooks))\./;

const texts = defineRolldownBabelPreset({
  preset: { plugins: ["@lingui/babel-plugin-lingui-macro"] },
  rolldown: { filter: { code: /from "@lingui\/(core|react)\/macro"/ } },
});

export default defineConfig({
  plugins: [
    react(),
    // Texts: `t` and <Trans> become short ids, and the .po files become code. A text without a translation is an error.
    babel({ presets: [texts] }),
    lingui({ failOnMissing: true, failOnCompileError: true }),
  ],
  build: {
    outDir: "../internal/web/dist",
    emptyOutDir: false, // it holds a file that Git keeps; make build clears the rest
    sourcemap: false,
    target: "es2024",
    chunkSizeWarningLimit: 800, // one file of libraries, kept by browsers for long
    rolldownOptions: {
      output: {
        // Left alone, every few lines that two screens share become a file of
        // their own, and a screen is fetched in twenty pieces. What every screen
        // needs is two files: what others wrote, and the parts of ours. What forms
        // need besides is a third.
        codeSplitting: {
          groups: [
            {
              name: "libraries",
              test: (id) => libraries.test(id) && !forms.test(id),
              priority: 20,
            },
            { name: "forms", test: forms, priority: 15 },
            { name: "icons", test: /@tabler[\\/]icons-react[\\/]/, minShareCount: 2, priority: 12 },
            { name: "common", test: (id) => common.test(id) && !notInbox.test(id), minShareCount: 2, priority: 10 },
            { name: "parts", test: notInbox, minShareCount: 2, priority: 5 },
          ],
        },
      },
    },
  },
  server: {
    proxy: { "/v1": desk, "/auth": desk, "/sandbox": desk, "/mailbox/": desk, "/docs": desk },
  },
});
