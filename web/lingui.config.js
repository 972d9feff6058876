// Which texts stand in which file. Each part of the app has its own, so that a page loads only what it shows; `common` is
// what all of them share. German has every text, or the build fails.
import { formatter } from "@lingui/format-po";

const parts = {
  common: ["src/main.tsx", "src/tell.tsx", "src/api", "src/data", "src/frame", "src/parts", "src/theme", "src/texts"],
  inbox: ["src/screens/inbox"],
  settings: ["src/screens/settings"],
  reports: ["src/screens/insights", "src/screens/customers", "src/screens/announcements"],
  places: ["src/screens/door", "src/screens/sandbox", "src/screens/mailbox"],
};

export default {
  sourceLocale: "en",
  locales: ["en", "de"],
  catalogs: Object.entries(parts).map(([part, include]) => ({ path: `<rootDir>/src/texts/${part}/{locale}`, include: include.map((i) => `<rootDir>/${i}`) })),
  format: formatter({ lineNumbers: false }),
};
