// How screens look alike: one width for pages of a kind, one header for tables, shapes that wait where content comes, and
// a mark and drawings of our own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, accessibleInBoth, close, hold, launch, until, withPage } from "./browser.mjs";

let desk;
before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});
after(async () => {
  await close();
  await desk?.stop();
});

const left = (locator) => locator.evaluate((e) => Math.round(e.getBoundingClientRect().left));

test("pages with tables have one width and one header, and pages with forms another width", async () => {
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

/** Whether what waits is hidden for 150 ms, and seen after them. One shape may just give way to another. */
const waits = (group) =>
  until("the shape is there", () =>
    group.evaluate((e) => {
      const part = e.firstElementChild;
      part.style.animation = "none";
      void part.offsetWidth; // begins anew
      part.style.animation = "";
      const [wait] = part.getAnimations();
      if (!wait) return null;
      wait.pause();
      const seen = [0, 149, 152].map((ms) => {
        wait.currentTime = ms;
        return getComputedStyle(part).visibility;
      });
      wait.finish();
      return seen.join(" ");
    }),
  );
const afterAMoment = "hidden hidden visible";

test("what loads has its place at once, is seen after a moment, and nothing moves when it comes", async () => {
  const { requests } = await desk.api("GET", "/requests?state=open&limit=1");
  const { id, title } = requests[0];
  await withPage(desk, async (page) => {
    const busy = page.getByRole("group", { name: "Loading" });
    const list = await hold(page, /\/v1\/rest\/requests\?/);
    await page.goto("/requests");
    await page.getByRole("heading", { level: 1, name: "All open" }).waitFor(); // the screen itself is there
    await busy.first().waitFor();
    assert.equal(await waits(busy.first()), afterAMoment);
    await accessible(page, "a list that loads");
    const row = await busy.first().locator(":scope > div").first().boundingBox();
    list();
    const first = page.locator('li[data-id][aria-posinset="1"]');
    await first.waitFor();
    const came = await first.boundingBox();
    assert.deepEqual([came.x, came.y, came.height], [row.x, row.y, row.height], "a row is not where its shape was");

    // The title is known from the list; the rest has the shape of the conversation.
    const request = await hold(page, /\/v1\/rest\/requests\/[^/?]+\?/);
    await page.locator(`li[data-id="${id}"]`).getByRole("link").click();
    const known = page.locator("p").filter({ hasText: title });
    await known.first().waitFor();
    const at = await known.first().boundingBox();
    assert.equal(await waits(busy.first()), afterAMoment);
    const messages = await busy.first().boundingBox();
    request();
    const head = page.locator("header:has(h1)");
    await head.waitFor();
    const there = await page.locator("h1").last().boundingBox();
    assert.ok(Math.abs(there.y - at.y) <= 4 && Math.abs(there.x - at.x) <= 1, `the title moves from ${JSON.stringify(at)} to ${JSON.stringify(there)}`);
    const { y, height, width } = await head.boundingBox();
    assert.equal(width, messages.width, "the conversation becomes narrower");
    assert.ok(Math.abs(y + height - messages.y) <= 1, `the conversation begins at ${y + height}, its shape at ${messages.y}`);
  });
  for (const [path, calls, shape, seen] of [
    ["/customers", "**/v1/rest/customers?*", "table", (page) => page.locator("thead tr")],
    ["/settings/tokens", "**/v1/rest/tokens?*", "rows", (page) => page.getByRole("listitem").filter({ has: page.getByRole("button", { name: "Revoke" }) })],
  ])
    await withPage(desk, async (page) => {
      const letGo = await hold(page, calls);
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).first().waitFor(); // the screen itself is there
      const busy = page.getByRole("group", { name: "Loading" }).last();
      await busy.waitFor();
      assert.equal(await waits(busy), afterAMoment, path);
      const at = await busy.boundingBox();
      letGo();
      await seen(page).first().waitFor();
      const came = await seen(page).first().boundingBox();
      assert.ok(Math.abs(came.y - at.y) <= 2, `${path}: the ${shape} moves from ${at.y} to ${came.y}`);
    });
});

test("the mark and the drawings are ours, in every place that is empty and at every door", async () => {
  const icon = await fetch(`${desk.url}/icon.svg`);
  assert.match(icon.headers.get("Content-Type"), /svg/);
  await withPage(desk, async (page) => {
    await page.goto("/requests?tag=nobody-has-this");
    await page.getByText("No matching requests").waitFor();
    assert.equal(await page.locator("main svg[viewBox='0 0 120 84']").count(), 2, "of the list, and where no request is open");
    await page.locator('nav[aria-label="Main"] img[src="/icon.svg"]').waitFor();
    await accessibleInBoth(page, "empty places");
    await page.goto("/requests?query=nobody-wrote-this-word");
    await page.getByText("No results").waitFor();
    await page.goto("/docs/");
    const mark = page.locator('header img[src="/docs/icon.svg"]');
    await mark.waitFor();
    assert.ok(await mark.evaluate((e) => e.decode().then(() => e.naturalWidth > 0)));
  });
  await withPage(
    desk,
    async (page) => {
      await page.goto("/");
      await page.getByLabel("Password", { exact: true }).waitFor();
      await page.locator('img[src="/icon.svg"]').waitFor();
      await accessible(page, "the door");
    },
    { signedIn: false, expected: /40[13]/ },
  );
});
