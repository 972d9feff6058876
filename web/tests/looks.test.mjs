// How screens look alike: one measure for pages of a kind, one head for tables, shapes that wait where content comes, and
// a mark and drawings of our own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { close, launch, withPage } from "./browser.mjs";

let desk;
before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});
after(async () => {
  await close();
  await desk?.stop();
});

const left = (locator) => locator.evaluate((e) => Math.round(e.getBoundingClientRect().left));

test("pages with tables have one measure and one head, and pages with forms another measure", async () => {
  await withPage(desk, async (page) => {
    const heads = new Set();
    const edges = new Set();
    for (const path of ["/customers", "/announcements", "/insights/explorer"]) {
      await page.goto(path);
      const cell = page.locator("thead th").first();
      await cell.waitFor();
      edges.add(await left(page.getByRole("heading", { level: 1 }).first()));
      heads.add(
        await cell.evaluate((e) => {
          const { fontSize, fontWeight, color } = getComputedStyle(e);
          return `${fontSize} ${fontWeight} ${color}`;
        }),
      );
    }
    assert.equal(heads.size, 1, [...heads].join("; "));
    assert.equal(edges.size, 1, `tables begin at ${[...edges]}`);
    const forms = new Set();
    for (const name of ["sla", "tokens", "collections"]) {
      await page.goto(`/settings/${name}`);
      const heading = page.getByRole("heading", { level: 1 }).first();
      await heading.waitFor();
      forms.add(await left(heading));
    }
    assert.equal(forms.size, 1, `forms begin at ${[...forms]}`);
  });
});
