// Many requests: the list shows each once, with few elements at a time; and the
// inbox asks for what it needs at once. MANY says how many, as ten thousand.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { close, launch, withPage } from "./browser.mjs";

const imported = Number(process.env.MANY ?? 2_000);
const atOnce = 50; // as many as the API takes in one call

let desk;
before(async () => {
  desk = await startDemo();
  await launch();
  const start = Date.parse("2024-01-01T00:00:00Z");
  const batches = Array.from({ length: imported / atOnce }, (_, b) => b).values();
  const batch = (b) =>
    Array.from({ length: atOnce }, (_, i) => {
      const n = b * atOnce + i;
      return { external_id: `many-${n}`, title: `One of many, number ${n}`, requester: { email: `asks${n % 97}@many.test` }, created_at: new Date(start + n * 60_000).toISOString(), state: "open" };
    });
  const worker = async () => {
    for (const b of batches) await desk.api("POST", "/requests/batch", { requests: batch(b) });
  };
  await Promise.all([worker(), worker()]);
});
after(async () => {
  await close();
  await desk?.stop();
});

/** The ids of all requests that there are now. */
async function listed() {
  const ids = new Set();
  for (let cursor = ""; cursor !== null;) {
    const { requests, response_metadata } = await desk.api("GET", `/requests?limit=100${cursor && `&next_cursor=${encodeURIComponent(cursor)}`}`);
    for (const r of requests) ids.add(String(r.id));
    cursor = response_metadata.next_cursor;
  }
  return ids;
}

test("every request of many is seen once, few at a time", async () => {
  // What the demo's chat makes meanwhile may be on the list, or be new to it.
  const before = await listed();
  await withPage(desk, async (page) => {
    await page.goto("/requests?state=any");
    await page.locator("li[data-id]").first().waitFor();
    const walk = await page.evaluate(async () => {
      const list = document.querySelector('[role="region"][aria-label="Requests"]');
      const frame = () => new Promise((next) => requestAnimationFrame(next));
      const seen = new Map(); // where each was
      const twice = [];
      let most = 0;
      let longest = 0;
      let last = performance.now();
      for (;;) {
        await frame();
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
        const rows = [...list.querySelectorAll("li[data-id]")];
        for (const r of rows) {
          const at = r.getAttribute("aria-posinset");
          if ((seen.get(r.dataset.id) ?? at) !== at) twice.push(r.dataset.id);
          seen.set(r.dataset.id, at);
        }
        most = Math.max(most, document.getElementsByTagName("*").length);
        // A step further only when all is drawn that is to be seen now.
        const box = list.getBoundingClientRect();
        const drawn = rows.some((r) => r.getBoundingClientRect().top <= box.top + 1) && rows.some((r) => r.getBoundingClientRect().bottom >= box.bottom - 1);
        const end = list.scrollTop + list.clientHeight >= list.scrollHeight - 1;
        if (drawn && !end) list.scrollTop += list.clientHeight * 0.9;
        if (drawn && end && !list.querySelector("[data-more]")) break;
      }
      return { ids: [...seen.keys()], places: new Set(seen.values()).size, twice, most, longest };
    });
    console.log(`${walk.ids.length} requests, at most ${walk.most} elements, the longest frame took ${Math.round(walk.longest)} ms`);
    const after = await listed();
    assert.ok(before.size >= imported, `there are ${before.size}`);
    assert.deepEqual(walk.twice, [], "some are in two places");
    assert.equal(walk.places, walk.ids.length, "some share a place");
    const seen = new Set(walk.ids);
    assert.deepEqual(
      [...before].filter((id) => !seen.has(id)),
      [],
      "some were never seen",
    );
    assert.deepEqual(
      walk.ids.filter((id) => !after.has(id)),
      [],
      "some are not the API's",
    );
    assert.ok(walk.most < 2000, `the page had ${walk.most} elements`);
  });
});

// Nothing that is shown waits for these.
const aside = /\/events\/stream|\/sandbox|\/read$/;

/** The calls of a page in rounds. A round is every call that is sent before one of them is answered. */
async function rounds(page, address, drawn) {
  const held = [];
  const found = [];
  await page.route("**/v1/rest/**", async (route) => {
    if (aside.test(new URL(route.request().url()).pathname)) return route.continue();
    held.push(route);
  });
  // What is answered before the stream is open would be asked for again.
  const streaming = page.waitForResponse(/\/events\/stream/);
  await page.goto(address);
  await streaming;
  for (const sign of drawn) {
    await page.locator(sign).first().waitFor();
    // What the drawing itself asks for is asked in the frame after it.
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(next)))));
    const round = held.splice(0);
    found.push(round.map((r) => `${r.request().method()} ${new URL(r.request().url()).pathname}`).sort());
    await Promise.all(
      round.map(async (r) => {
        const answered = page.waitForEvent("requestfinished", (q) => q === r.request());
        await r.continue();
        await answered;
      }),
    );
  }
  return found;
}

test("the inbox asks for what it needs in two rounds at most", async () => {
  await withPage(desk, async (page) => {
    const [first, second, third] = await rounds(page, "/requests", ['[aria-busy="true"]', "li[data-id]", "li[data-id]"]);
    for (const path of ["/v1/rest/me", "/v1/rest/requests", "/v1/rest/views"]) assert.ok(first.includes(`GET ${path}`), `${path} is of the first round: ${first}`);
    assert.deepEqual(third, [], `after ${first} and ${second}`);
  });
});
