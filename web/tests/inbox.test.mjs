// The inbox: views, filters, search, keys, many at once, and what arrives while
// somebody looks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, hold, launch, openInbox, until, withPage } from "./browser.mjs";

let desk;
before(async () => {
  await launch();
  desk = await startDemo();
});
after(async () => {
  await close();
  await desk?.stop();
});

const unsolved = "state=open,in_progress,pending,on_hold";

const request = async (id) => (await desk.api("GET", `/requests/${id}`)).request;
/** Waits until the address is that of a request. */
const at = async (page, { id }) => page.waitForURL(`**/requests/${(await request(id)).key}`);
// The answer to making one has its id as a text.
const make = async (title, more = {}) => {
  const { request } = await desk.api("POST", "/requests", { title, description: `${title}, in more words.`, ...more });
  return { ...request, id: Number(request.id) };
};
const rows = (page) => page.getByRole("region", { name: "Requests" }).getByRole("listitem");
const row = (page, id) => page.locator(`li[data-id="${id}"]`);
const here = (page) => page.locator("li[data-id][data-here]");
const opened = async (page, address = "/requests") => {
  await page.goto(address);
  await rows(page).first().waitFor();
};
/** Chooses from the dialog that a key or a menu has opened. */
async function choose(page, name) {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox").fill(name);
  await dialog.getByRole("option", { name, exact: true }).waitFor();
  await dialog.getByRole("option", { name, exact: true }).click();
}

test("filters stand in the address, survive a reload and become a view", async () => {
  await withPage(desk, async (page) => {
    await opened(page);
    await page.getByRole("heading", { level: 1, name: "All open" }).waitFor();

    await page.keyboard.press("f");
    await page.getByRole("menuitem", { name: "Priority…" }).waitFor();
    await page.getByRole("menuitem", { name: "Priority…" }).click();
    await choose(page, "High");
    await accessible(page, "the choice of a filter");
    await page.keyboard.press("Escape");
    await page.waitForURL(/[?&]priority=high/);
    await page.getByRole("button", { name: "Remove filter: High priority" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Remove filter: High priority" }).waitFor();
    const { requests } = await desk.api("GET", `/requests?${unsolved}&priority=high&limit=100`);
    await row(page, requests[0].id).waitFor();
    await until("the list has what the API gives", async () => (await page.locator("li[data-id]:not([data-gone])").count()) <= requests.length);

    await page.getByRole("button", { name: "View: Filtered" }).click();
    await page.getByRole("menuitem", { name: "Save filters as a view…" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Burning");
    await page.getByLabel("Share with everyone in the account").check();
    await accessible(page, "a new view");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Burning" }).waitFor();

    await page.keyboard.press("v");
    await page.getByRole("menuitem", { name: "Rename or share “Burning”…" }).waitFor();
    await page.getByRole("menuitem", { name: "Rename or share “Burning”…" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("On fire");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "On fire" }).waitFor();

    // More filters can be saved to the view, by the name that it has now.
    await page.keyboard.press("f");
    await page.getByRole("menuitem", { name: "Priority…" }).click();
    await choose(page, "Urgent");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "View: Filtered" }).click();
    await page.getByRole("menuitem", { name: "Update “On fire” with these filters" }).waitFor();
    await page.getByRole("menuitem", { name: /^On fire/ }).click();

    await page.getByRole("button", { name: "View: On fire" }).click();
    await page.getByRole("menuitem", { name: "Unassigned" }).click();
    await page.waitForURL(/assignee_id=none/);
    await page.getByRole("heading", { level: 1, name: "Unassigned" }).waitFor();
    await page.getByRole("button", { name: "View: Unassigned" }).click();
    await page.getByRole("menuitem", { name: "On fire" }).click();
    await page.waitForURL(/priority=high/);

    await page.getByRole("button", { name: "View: On fire" }).click();
    await page.getByRole("menuitem", { name: "Delete “On fire”" }).click();
    await page.getByRole("heading", { level: 1, name: "All open" }).waitFor();
    await page.keyboard.press("z");
    await until("the view is back", async () => (await desk.api("GET", "/views")).views.some((v) => v.name === "On fire" && v.shared));

    await page.goto("/requests?priority=high&tag=no-such-tag");
    await page.getByText("No matching requests").waitFor();
    await page.getByRole("button", { name: "Remove filter: Tag: no-such-tag" }).click();
    await rows(page).first().waitFor();
  });
});

test("search marks what it found", async () => {
  const made = await make("The zeppelin has lost its anchor");
  await until("it can be found", async () => (await desk.api("GET", "/requests/search?query=zeppelin")).requests.length === 1);
  await withPage(desk, async (page) => {
    await opened(page);
    await page.keyboard.press("/");
    await page.keyboard.type("zeppelin");
    await row(page, made.id).locator("mark", { hasText: "zeppelin" }).first().waitFor();
    await page.waitForURL(/query=zeppelin/);
    await accessible(page, "what was found");
    await page.reload();
    await row(page, made.id).locator("mark").first().waitFor();
    await page.getByRole("textbox", { name: "Search requests" }).fill("zeppelin nowhereatall");
    await page.getByText("No results").waitFor();
    await page.getByRole("button", { name: "Clear search" }).click();
    await rows(page).nth(3).waitFor();
  });
});

test("an inbox is worked through by the keyboard", async () => {
  const second = await make("Second of the keyboard");
  const first = await make("First of the keyboard");
  await withPage(desk, async (page) => {
    await opened(page);
    await row(page, first.id).waitFor();
    await page.keyboard.press("j");
    await row(page, first.id).and(here(page)).waitFor();

    await page.keyboard.press("u"); // what one has made oneself is read
    await row(page, first.id).and(page.locator("[data-unread]")).waitFor();
    await page.keyboard.press("Enter");
    await at(page, first);
    await row(page, first.id).and(page.locator("[data-open]:not([data-unread])")).waitFor();
    await until("it is read", async () => (await request(first.id)).unread === false);
    await page.keyboard.press("j");
    await at(page, second);
    await page.keyboard.press("p");
    await choose(page, "Urgent");
    await until("it is urgent", async () => (await request(second.id)).priority === "urgent");
    await page.keyboard.press("k");
    await at(page, first);
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/requests$/);

    await page.keyboard.press("l");
    await page.getByRole("dialog").getByRole("combobox").fill("by-keyboard");
    await page.getByRole("option", { name: "by-keyboard" }).click();
    await until("it is tagged", async () => (await request(first.id)).tags.includes("by-keyboard"));
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("a");
    const assignee = page.getByRole("dialog").getByRole("option", { name: /\(me\)/ });
    await assignee.click();
    await until("it is mine", async () => (await request(first.id)).assignee !== null);

    await page.keyboard.press("e");
    await row(page, first.id).and(page.locator("[data-gone]")).waitFor();
    assert.equal(Number(await here(page).getAttribute("data-id")), second.id, "the keys go on to the next");
    await until("it is solved", async () => (await request(first.id)).state === "solved");
    await page.getByText("“First of the keyboard” solved.").waitFor();
    await page.keyboard.press("z");
    await until("it is open again", async () => (await request(first.id)).state === "open");
    await row(page, first.id).and(page.locator(":not([data-gone])")).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Next request").waitFor();
  });
});

test("a mark stays, though an older list comes in behind it, and the newest mark counts", async () => {
  const made = await make("Marked while the list is read");
  const isList = (url) => url.pathname === "/v1/rest/requests";
  const isMark = (url) => url.pathname === `/v1/rest/requests/${made.id}/read`;
  await withPage(desk, async (page) => {
    await openInbox(page);
    const read = page.waitForResponse((r) => isMark(new URL(r.url())));
    await row(page, made.id).getByRole("link").click();
    await read;
    await page.keyboard.press("u");
    await row(page, made.id).and(page.locator("[data-unread]")).waitFor();
    await until("it is unread", async () => (await request(made.id)).unread);

    // The server answers before it has the mark, and the answer arrives after the mark.
    let arrive;
    const behind = new Promise((resolve) => (arrive = resolve));
    let answered = false;
    await page.route(isList, async (route) => {
      const response = await route.fetch();
      answered = true;
      await behind;
      await route.fulfill({ response });
    });
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("Refresh list");
    await page.keyboard.press("Enter");
    await until("the list is answered", () => answered);
    await page.keyboard.press("u");
    await row(page, made.id).and(page.locator(":not([data-unread])")).waitFor();
    await until("it is read", async () => (await request(made.id)).unread === false);
    const drawn = page.waitForResponse((r) => isList(new URL(r.url())));
    arrive();
    await (await drawn).finished();
    await page.unroute(isList);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await row(page, made.id).getAttribute("data-unread"), null, "an older list has drawn it as unread");

    // The first of two marks is slow: one by a key, the other by opening it.
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/requests$/);
    const asked = [];
    let free;
    const slow = new Promise((resolve) => (free = resolve));
    await page.route(isMark, async (route) => {
      asked.push(route.request().method());
      if (asked.length === 1) await slow;
      await route.continue();
    });
    await page.keyboard.press("u");
    await row(page, made.id).and(page.locator("[data-unread]")).waitFor();
    await page.keyboard.press("Enter");
    await row(page, made.id).and(page.locator("[data-open]:not([data-unread])")).waitFor();
    assert.deepEqual(asked, ["DELETE"]);
    const last = page.waitForResponse((r) => isMark(new URL(r.url())) && r.request().method() === "PUT");
    free();
    await last;
    assert.equal((await request(made.id)).unread, false);
  });
});

test("Back leads to the request before, as it was left", async () => {
  const made = [];
  for (const title of ["First step", "Second step", "Third step"]) made.push({ ...(await make(title, { description: "<p>A line.</p>".repeat(100) })), title });
  const [first, second, third] = made;
  await withPage(desk, async (page) => {
    const conversation = page.getByRole("log", { name: "Conversation" });
    const title = (r) => page.getByRole("heading", { name: r.title });
    await opened(page, `/requests/${first.id}`);
    await title(first).waitFor();
    await row(page, third.id).getByRole("checkbox").check();
    await until("it is read at its end", () => conversation.evaluate((e) => e.scrollTop > 500));
    await conversation.evaluate((e) => e.scrollTo(0, 150));
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));

    await row(page, second.id).getByRole("link").click();
    await title(second).waitFor();
    await row(page, third.id).getByRole("link").click();
    await title(third).waitFor();
    const list = page.getByRole("region", { name: "Requests", exact: true });
    await list.evaluate((e) => e.scrollTo(0, 1500));
    await row(page, first.id).waitFor({ state: "detached" });
    await page.goBack();
    await title(second).waitFor();
    await page.goBack();
    await title(first).waitFor();
    assert.equal(await conversation.evaluate((e) => e.scrollTop), 150);
    await row(page, first.id).and(page.locator("[data-open][data-here]")).waitFor();
    assert.equal(await row(page, third.id).getByRole("checkbox").isChecked(), true, "what was selected stays so");
    await page.goForward();
    await title(second).waitFor();
    await row(page, first.id).getByRole("link").click();
    await title(first).waitFor();
    await until("what is opened anew begins at its end", () => conversation.evaluate((e) => e.scrollTop > 500));
  });
});

test("a request that is opened by its link is read, in other windows too", async () => {
  const made = await make("Opened by its link");
  await desk.api("DELETE", `/requests/${made.id}/read`);
  await withPage(desk, async (page, context) => {
    const unread = row(page, made.id).and(page.locator("[data-unread]"));
    await openInbox(page);
    await unread.waitFor();
    const other = await context.newPage();
    // A window tells the others nothing before it knows whose it is.
    const read = await hold(other, /\/read$/);
    await other.goto(`/requests/${made.id}`);
    await other.getByRole("button", { name: /account menu/ }).waitFor();
    read();
    await row(other, made.id).and(other.locator("[data-open]:not([data-unread])")).waitFor();
    await unread.waitFor({ state: "detached" });
  });
});

test("many are changed at once, and undone at once", async () => {
  const made = [];
  for (const n of [1, 2, 3, 4]) made.push(await make(`Batch ${n}`, { priority: "low" }));
  const [oldest, , third, newest] = made;
  const priorities = async () => (await Promise.all(made.map((m) => request(m.id)))).map((r) => r.priority);
  await withPage(
    desk,
    async (page) => {
      await opened(page);
      await row(page, newest.id).getByRole("checkbox").check();
      await row(page, oldest.id)
        .getByRole("link")
        .click({ modifiers: ["Shift"] });
      await page.getByText("4 selected").waitFor();
      await page.getByRole("button", { name: "Priority", exact: true }).click();
      await choose(page, "High");
      await page.getByText("Priority of 4 requests set to High.").waitFor();
      assert.deepEqual(await priorities(), ["high", "high", "high", "high"]);
      await page.keyboard.press("z");
      await until("all are as they were", async () => (await priorities()).every((p) => p === "low"));
      await row(page, newest.id).getByLabel("Low priority").waitFor();

      // The request that is closed meanwhile is refused, and the others are not.
      await desk.api("PATCH", `/requests/${third.id}`, { state: "closed" });
      await row(page, third.id).and(page.locator("[data-gone]")).waitFor();
      await page.keyboard.press("p");
      await choose(page, "Urgent");
      await page.getByText("1 of 4 requests could not be changed.").waitFor();
      await page.getByRole("button", { name: "Details" }).click();
      await page.getByRole("dialog", { name: "Requests that could not be changed" }).getByText("Batch 3").waitFor();
      await accessible(page, "what could not be changed");
      await page.keyboard.press("Escape");
      await page.getByRole("region", { name: "Progress" }).getByRole("button", { name: "Dismiss" }).click();

      await row(page, third.id).getByRole("checkbox").uncheck();
      await page.getByText("3 selected").waitFor();
      await page.getByRole("button", { name: "Merge", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Merge 3 requests" });
      await dialog.getByRole("radio", { name: "Batch 4" }).check();
      await dialog.getByRole("button", { name: "Merge", exact: true }).click();
      await at(page, newest);
      await row(page, oldest.id).waitFor({ state: "detached" });
      assert.equal((await request(oldest.id)).merged_into, newest.id);
      await page.keyboard.press("z");
      await until("they are apart again", async () => (await request(oldest.id)).merged_into === undefined);
      await row(page, oldest.id).waitFor();
    },
    { expected: /406/ },
  );
});

test("what arrives does not move what is read", async () => {
  const known = await make("Known before");
  await withPage(desk, async (page) => {
    await openInbox(page);
    await row(page, known.id).waitFor();
    const list = page.getByRole("region", { name: "Requests" });
    await list.evaluate((e) => e.scrollTo(0, 1500));
    await row(page, known.id).waitFor({ state: "detached" });
    const top = await list.evaluate((e) => e.scrollTop);
    const arrived = await make("Arrived meanwhile");
    await page.getByRole("button", { name: /^\d+ new$/ }).waitFor();
    assert.equal(await list.evaluate((e) => e.scrollTop), top, "the list stays where it is");
    await accessible(page, "the pill");
    await page.getByRole("button", { name: /^\d+ new$/ }).click();
    await row(page, arrived.id).waitFor();
    await page.getByRole("button", { name: /^\d+ new$/ }).waitFor({ state: "detached" });

    await desk.api("PATCH", `/requests/${arrived.id}`, { title: "Has another title now" });
    await row(page, arrived.id).getByText("Has another title now").waitFor();
    await desk.api("PATCH", `/requests/${arrived.id}`, { state: "solved" });
    await row(page, arrived.id).and(page.locator("[data-gone]")).waitFor();
  });
});

test("the inbox is dark, dense, narrow and foldable", async () => {
  await withPage(
    desk,
    async (page) => {
      await opened(page);
      await accessible(page, "the dark inbox");
      await rows(page).first().getByRole("link").click();
      await page.waitForURL(/\/requests\/[A-Z0-9]+-\d+$/);
      await page.getByRole("button", { name: "Hide the list" }).click();
      await rows(page).first().waitFor({ state: "detached" });
      await page.reload();
      await accessible(page, "a folded list");
      await page.getByRole("button", { name: "Show the list" }).click();
      await rows(page).first().waitFor();
      const edge = page.getByRole("separator", { name: "Width of the list" });
      const width = Number(await edge.getAttribute("aria-valuenow"));
      await edge.press("ArrowRight");
      await until("the list is wider", async () => Number(await edge.getAttribute("aria-valuenow")) === width + 16);
      await page.reload();
      await rows(page).first().waitFor();
      assert.equal(Number(await edge.getAttribute("aria-valuenow")), width + 16, "the width is kept");
    },
    { colorScheme: "dark" },
  );
});

test("on a phone the list and a request are pages", async () => {
  await withPage(
    desk,
    async (page) => {
      await opened(page);
      await accessible(page, "the inbox on a phone");
      // No keys are named where there is no keyboard.
      assert.equal(await page.locator("kbd:visible").count(), 0);
      await page.getByRole("button", { name: /account menu/ }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
      assert.equal(await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).count(), 0);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
      const title = await rows(page).nth(2).getByRole("link").innerText();
      await rows(page).nth(2).getByRole("link").click();
      await page.waitForURL(/\/requests\/[A-Z0-9]+-\d+$/);
      await page.getByRole("heading", { name: title }).waitFor();
      await rows(page).first().waitFor({ state: "detached" });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "nothing is wider than the phone");
      await page.goBack();
      await rows(page).first().waitFor();
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});
