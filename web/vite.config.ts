import { lingui } from "@lingui/vite-plugin";
import babel, { defineRolldownBabelPreset } from "@rolldown/plugin-babel";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The address of a running `frontdesk demo`, for `npm run dev`.
const desk = "http://127.0.0.1:8080";

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
        // needs is two files: what others wrote, and the parts of ours.
        codeSplitting: {
          groups: [
            {
              name: "libraries",
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack|openapi-fetch|@floating-ui|@mantine[\\/](core|hooks|notifications)|clsx|react-[a-z-]+)[\\/]/,
              priority: 20,
            },
            { name: "common", test: /src[\\/](api|data|frame|parts|theme)[\\/]/, minShareCount: 2, priority: 10 },
          ],
        },
      },
    },
  },
  server: {
    proxy: { "/v1": desk, "/auth": desk, "/sandbox": desk, "/mailbox/": desk, "/docs": desk },
  },
});
