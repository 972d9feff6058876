// Pictures of the main screens, light and dark. Every run opens them all and looks
// for errors; `make screens` keeps the pictures for the README.
import { mkdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessibleInBoth, close, launch, withPage } from "./browser.mjs";

const folder = process.env.SCREENS;

let desk;
before(async () => {
  desk = await startDemo();
  await launch();
  if (folder) await mkdir(folder, { recursive: true });
});
after(async () => {
  await close();
  await desk?.stop();
});

// A screen is there when this is seen.
const screens = [
  { name: "inbox", path: async () => `/requests/${await oneToShow()}`, seen: (page) => page.locator(".ProseMirror") },
  { name: "insights", path: () => "/insights/volume", seen: (page) => page.locator(".recharts-surface").first() },
  { name: "explorer", path: () => "/insights/explorer", seen: (page) => page.getByRole("table").first() },
  { name: "customers", path: () => "/customers", seen: (page) => page.getByRole("table").first() },
  { name: "announcements", path: async () => `/announcements/${(await desk.api("GET", "/announcements?limit=1")).announcements[0].id}`, seen: (page) => page.getByRole("table").first() },
  { name: "sandbox", path: () => "/sandbox", seen: (page) => page.getByRole("textbox").first() },
  { name: "sla", path: () => "/settings/sla", seen: (page) => page.getByRole("heading", { level: 2 }).first() },
  { name: "tokens", path: () => "/settings/tokens", seen: (page) => page.getByRole("button", { name: "Revoke" }).first() },
];

/** A request of the chat with a few messages. */
async function oneToShow() {
  const { requests } = await desk.api("GET", "/requests?state=open,in_progress,pending&include=messages&limit=50");
  const talked = requests.filter((r) => r.channel && r.messages.some((m) => m.is_responder));
  return (talked[0] ?? requests[0]).id;
}

for (const { name, path, seen } of screens) {
  test(`${name}, light and dark`, () =>
    withPage(desk, async (page) => {
      await page.goto(await path());
      await seen(page).waitFor();
      await accessibleInBoth(page, name, async (colorScheme) => {
        if (folder) await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
      });
    }));
}
