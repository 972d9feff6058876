// What people call a request is one thing everywhere: in the address, on the screen, in
// the palette, in a search, in what is copied, and in links from before there were keys.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, launch, openInbox, withPage } from "./browser.mjs";

let desk;
before(async () => {
  await launch();
  desk = await startDemo();
});
after(async () => {
  await close();
  await desk?.stop();
});

const make = async (title) => {
  const { request } = await desk.api("POST", "/requests", { title, description: `${title}, in so many words.` });
  return (await desk.api("GET", `/requests/${request.id}`)).request;
};
const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();
const path = (page) => new URL(page.url()).pathname;
const row = (page, id) => page.locator(`li[data-id="${id}"]`);

test("a request has one address, whatever led to it", async () => {
  const r = await make("The gate is stuck");
  assert.notEqual(r.key, String(r.id));
  assert.equal(r.tickets[0].key, r.key);
  assert.match(r.tickets[0].url, new RegExp(`/requests/${r.key}$`));
  await withPage(desk, async (page) => {
    await page.goto(`/requests/${r.key}`);
    await heading(page, `${r.key} The gate is stuck`);
    assert.equal(path(page), `/requests/${r.key}`);

    // An old bookmark leads on, with its filters. What is shown stays in the page all the while.
    await page.addInitScript(() => {
      window.removed = 0;
      new MutationObserver((all) => {
        for (const m of all) for (const n of m.removedNodes) if (n.nodeType === 1 && (n.matches("h1") || n.querySelector("h1"))) window.removed++;
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(`/requests/${r.id}?state=open`);
    await page.waitForURL(`**/requests/${r.key}?state=open`);
    await heading(page, `${r.key} The gate is stuck`);
    assert.equal(await page.evaluate(() => window.removed), 0, "the request was shown twice");

    await page.goto(`/requests/${r.key.toLowerCase()}`);
    await page.waitForURL(`**/requests/${r.key}`);
    await heading(page, `${r.key} The gate is stuck`);

    // Back does not return to the address that was replaced.
    await page.goto("/customers");
    await page.goto(`/requests/${r.id}`);
    await page.waitForURL(`**/requests/${r.key}`);
    await page.goBack();
    await page.waitForURL("**/customers");
  });
});

test("a key of nobody says so", async () => {
  await withPage(
    desk,
    async (page) => {
      for (const nobody of ["NOBODY-1", "DEMO-99999999", "what-is-this", "0"]) {
        await page.goto(`/requests/${nobody}`);
        await page.getByText("Request not found").waitFor();
      }
    },
    { expected: /404/ },
  );
});

test("the key of a merged request leads to where it went", async () => {
  const [into, from] = [await make("The gate is open"), await make("The gate is open again")];
  await desk.api("POST", `/requests/${into.id}/merge`, { request_ids: [from.id] });
  await withPage(desk, async (page) => {
    await page.goto(`/requests/${from.key}`);
    await page.waitForURL(`**/requests/${into.key}`);
    await heading(page, `${into.key} The gate is open`);
    // What was done names it by its key, too.
    await page.getByText(`merged ${from.key} into it`).waitFor();
  });
});

test("a key is found, shown, and copied", async () => {
  const r = await make("A lamp in the yard");
  await withPage(
    desk,
    async (page, context) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: desk.url });
      await openInbox(page);
      await row(page, r.id).getByText(r.key, { exact: true }).waitFor();
      await accessible(page, "rows with keys");

      // In the palette: the key, in small letters, and Enter at once.
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Run a command/ }).fill(r.key.toLowerCase());
      await page
        .getByRole("option", { name: new RegExp(`(Go to )?${r.key}`) })
        .first()
        .waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/requests/${r.key}*`);
      await heading(page, `${r.key} A lamp in the yard`);

      // Its number alone, from elsewhere.
      await page.getByRole("link", { name: "Customers" }).first().click();
      await page.waitForURL("**/customers*");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Run a command/ }).fill(r.key.split("-")[1]);
      await page.getByRole("option", { name: `${r.key} A lamp in the yard` }).click();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await heading(page, `${r.key} A lamp in the yard`);

      for (const [name, text] of [
        ["Copy key", r.key],
        ["Copy link", `${desk.url}/requests/${r.key}`],
      ]) {
        await page.getByRole("button", { name: "More actions" }).click();
        await page.getByRole("menuitem", { name }).click();
        await page.getByText(name === "Copy key" ? `${r.key} copied.` : "Link copied.").waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
      }

      // In the search of the list it comes first.
      await page.goto(`/requests?query=${r.key.toLowerCase()}`);
      assert.equal(await page.locator('li[data-id][aria-posinset="1"]').getAttribute("data-id"), String(r.id));
    },
    { locale: "en-GB" },
  );
});

test("going on with j and k leaves one step to go back", async () => {
  await withPage(desk, async (page) => {
    await openInbox(page);
    const rows = page.locator("li[data-id]");
    const ids = await rows.evaluateAll((all) => all.slice(0, 4).map((e) => Number(e.dataset.id)));
    const keys = await Promise.all(ids.map(async (id) => (await desk.api("GET", `/requests/${id}`)).request.key));
    await row(page, ids[0]).getByRole("link").click();
    await page.waitForURL(`**/requests/${keys[0]}*`);
    for (const i of [1, 2]) {
      await page.keyboard.press("j");
      await page.waitForURL(`**/requests/${keys[i]}*`);
    }
    await page.keyboard.press("k");
    await page.waitForURL(`**/requests/${keys[1]}*`);
    // Keys may come faster than requests are drawn.
    const pressAll = (keys) =>
      page.evaluate((keys) => {
        for (const key of keys) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      }, keys);
    await pressAll(["j", "j", "k", "j"]);
    await page.waitForURL(`**/requests/${keys[3]}*`);
    await pressAll(["k", "k"]);
    await page.waitForURL(`**/requests/${keys[1]}*`);
    // A click opens another, which is a step of its own.
    await row(page, ids[3]).getByRole("link").click();
    await page.waitForURL(`**/requests/${keys[3]}*`);
    await page.goBack();
    await page.waitForURL(`**/requests/${keys[1]}*`);
    await page.goBack();
    await page.waitForURL((url) => url.pathname === "/requests");
  });
});
