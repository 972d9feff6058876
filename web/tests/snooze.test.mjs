// What is put aside and comes back, what is solved one after the other, what is written
// down for somebody who called, and what one follows.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, launch, openInbox, until, withPage } from "./browser.mjs";
import { askInChat } from "./people.mjs";
import { source } from "./source.mjs";

const { snoozeTimes } = await source("screens/inbox/snoozeTimes.ts");

let desk;
before(async () => {
  await launch();
  desk = await startDemo();
});
after(async () => {
  await close();
  await desk?.stop();
});

const read = async (id) => (await desk.api("GET", `/requests/${id}?include=messages`)).request;
const row = (page, id) => page.locator(`li[data-id="${id}"]`);
const first = (page) => page.locator('li[data-id][aria-posinset="1"]');
const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();
/** Chooses from the dialog that a key has opened. */
const choose = (page, name) => page.getByRole("dialog").getByRole("option", { name }).click();

test("people snooze until times of the account, each once, also where clocks change", () => {
  const at = (zone, now) => snoozeTimes(zone, Date.parse(now)).map((t) => `${t.when} ${new Date(t.at).toISOString()}`);
  assert.deepEqual(at("Europe/Berlin", "2026-05-13T10:00:00Z"), [
    "later 2026-05-13T13:00:00.000Z",
    "tomorrow 2026-05-14T07:00:00.000Z",
    "monday 2026-05-18T07:00:00.000Z",
    "week 2026-05-20T07:00:00.000Z",
  ]);
  // On a Sunday, Monday is tomorrow. The night before a change of clocks, nine is nine.
  assert.deepEqual(at("Europe/Berlin", "2026-03-28T21:30:00Z"), [
    "soon 2026-03-29T00:30:00.000Z",
    "tomorrow 2026-03-29T07:00:00.000Z",
    "monday 2026-03-30T07:00:00.000Z",
    "week 2026-04-04T07:00:00.000Z",
  ]);
  assert.equal(at("America/New_York", "2026-05-18T02:00:00Z").length, 3);
});

test("a snoozed request leaves the list, and comes back on top when the customer answers", async () => {
  const { id, answers } = await askInChat(desk, "oskar@harborpine.test", "harbor-and-pine", "The conveyor in hall two stops every hour. What can we do?");
  const { id: newer } = (await desk.api("POST", "/requests", { title: "Newer", description: "A newer one." })).request;
  await withPage(desk, async (page) => {
    await openInbox(page);
    await row(page, newer).waitFor();
    await row(page, id).getByRole("link").click();
    await heading(page, /conveyor/);

    // By the keyboard, and back by undoing it.
    await page.keyboard.press("h");
    await page.getByRole("dialog").getByRole("combobox").waitFor();
    await accessible(page, "the choice of a snooze");
    await choose(page, /^Tomorrow morning/);
    await row(page, id).getByText("left this view").waitFor();
    await page
      .getByRole("status")
      .getByText(/^Snoozed by .* until .*SLA clocks keep running/)
      .waitFor();
    await page.getByText(/” snoozed until /).waitFor();
    assert.ok((await read(id)).snooze?.until);
    await page.keyboard.press("z");
    await row(page, id).getByText("left this view").waitFor({ state: "detached" });
    await until("it is not snoozed", async () => (await read(id)).snooze === undefined);

    await page.getByRole("button", { name: "Snooze", exact: true }).click();
    await choose(page, "Until the customer answers");
    await until("it is snoozed again", async () => (await read(id)).snooze?.until === null);
    await page.reload();
    await row(page, newer).waitFor();
    assert.equal(await row(page, id).count(), 0);
    await page.keyboard.press("v");
    await page.getByRole("menuitem", { name: "Snoozed", exact: true }).click();
    await row(page, id).getByText("Snoozed until the customer answers").waitFor();

    // What comes back is above what is newer, and says why, until somebody answers or changes it.
    await openInbox(page);
    await row(page, newer).waitFor();
    await answers("It stopped again, and now it smells of smoke.");
    await page.getByRole("button", { name: /^\d+ new$/ }).click();
    await first(page)
      .getByText(/^Back: Oskar.* answered/)
      .waitFor();
    assert.equal(await first(page).getAttribute("data-id"), String(id));
    await first(page).getByRole("link").click();
    await page
      .getByRole("status")
      .getByText(/^Back: Oskar.* answered/)
      .waitFor();
    await accessible(page, "a request that is back");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await until("nobody is told any more", async () => (await read(id)).snooze === undefined);
    await until("it stands where it was", async () => (await first(page).getAttribute("data-id")) === String(newer));
  });
});

test("a request is written down by c, followed, solved, and the next one opens", async () => {
  await withPage(
    desk,
    async (page) => {
      await openInbox(page);
      await page.keyboard.press("c");
      const dialog = page.getByRole("dialog", { name: "New request" });
      await dialog.getByLabel("Customer’s email").fill("no address");
      await accessible(page, "a new request");
      await dialog.getByLabel("Title").fill("Called about <pallets>");
      await dialog.getByLabel("What they need").fill("They are 3 < 5 & too few.\nCall back.");
      await dialog.getByRole("button", { name: "Create request" }).click();
      await dialog.getByText(/must be an email address/i).waitFor();
      await dialog.getByLabel("Customer’s email").fill("ines@harborpine.test");
      await dialog.getByRole("button", { name: "Create request" }).click();
      await heading(page, /Called about <pallets>/);
      const made = await read(new URL(page.url()).pathname.split("/").at(-1));
      const { id } = made;
      assert.equal(made.author.email, "ines@harborpine.test");
      assert.equal(made.messages[0].text, "They are 3 < 5 & too few.\nCall back.");

      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Follow" }).click();
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Stop following" }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("v");
      await page.getByRole("menuitem", { name: "Following", exact: true }).click();
      await row(page, id).waitFor();
      assert.equal(await page.locator("li[data-id]").count(), 1);

      await page.goto(`/requests/${id}`);
      await heading(page, /Called about <pallets>/);
      const next = await row(page, id).locator("xpath=following-sibling::li[1]").getAttribute("data-id");
      await page.keyboard.press("Shift+E");
      await page.waitForURL(`**/requests/${(await read(next)).key}`);
      await page.getByText("“Called about <pallets>” solved.").waitFor();
      assert.equal((await read(id)).state, "solved");
      await page.keyboard.press("z");
      await until("it is open again", async () => (await read(id)).state === "open");
    },
    { expected: /400/ },
  );
});
