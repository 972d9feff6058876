// The header of a request and the panel beside it: its title is edited in place, what is done most often is a button with
// its key, properties are chosen beside their controls, and clocks are bars.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, accessibleInBoth, close, hold, launch, openInbox, until, withPage } from "./browser.mjs";

let desk;
before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});
after(async () => {
  await close();
  await desk?.stop();
});

const read = async (id) => (await desk.api("GET", `/requests/${id}`)).request;
const made = async (title) => Number((await desk.api("POST", "/requests", { title, description: `<p>${title}, said a customer.</p>`, requester_email: "ines@harborpine.test" })).request.id);
const heading = (page, name) => page.getByRole("heading", { level: 1, name });
const title = (page) => page.getByRole("textbox", { name: "Title" });
const action = (page, name) => page.locator("header").getByRole("button", { name, exact: true });
const opened = async (page, id) => {
  await page.goto(`/requests/${id}`);
  await page.getByRole("button", { name: "More actions" }).waitFor();
};
const hasFocus = (page, locator, what) => until(what, () => locator.evaluate((e) => e === document.activeElement));

test("a title is edited in place, by the key, and is never lost", async () => {
  const id = await made("The gate <b>beeps</b> & stays shut");
  await withPage(
    desk,
    async (page) => {
      await opened(page, id);
      await page.keyboard.press("F2");
      await hasFocus(page, title(page), "F2 edits the title");
      await title(page).fill("   ");
      await page.keyboard.press("Enter");
      await page.getByText("A request needs a title.").waitFor();
      await accessible(page, "a title that is empty");
      await page.keyboard.press("Escape");
      await hasFocus(page, page.getByRole("button", { name: "The gate <b>beeps</b> & stays shut" }), "the focus is back at the title");
      assert.equal((await read(id)).title, "The gate <b>beeps</b> & stays shut");

      // It is drawn before the server has answered.
      const letGo = await hold(page, `**/v1/rest/requests/${id}`);
      await page.keyboard.press("F2");
      await title(page).fill("  '); DROP TABLE requests; --  ");
      await page.keyboard.press("Enter");
      await heading(page, /DROP TABLE/).waitFor();
      assert.notEqual((await read(id)).title, "'); DROP TABLE requests; --");
      letGo();
      await until("the server has it", async () => (await read(id)).title === "'); DROP TABLE requests; --");
      await page.unrouteAll({ behavior: "wait" });

      // What the server refuses stays to be corrected.
      await page.route(`**/v1/rest/requests/${id}`, (route) =>
        route.request().method() === "PATCH" ? route.fulfill({ status: 503, json: { message: "The database is away for a moment." } }) : route.continue(),
      );
      await page.keyboard.press("F2");
      await title(page).fill("Words that took a while");
      await page.keyboard.press("Enter");
      await until("it is there again", async () => (await title(page).count()) === 1 && (await title(page).inputValue()) === "Words that took a while");
      await page.locator("h1").getByText("The database is away for a moment.").waitFor();
      await page.unrouteAll({ behavior: "wait" });
      await title(page).press("Enter");
      await until("it is saved", async () => (await read(id)).title === "Words that took a while");

      // At most as long as the API takes.
      await page.getByRole("button", { name: "Words that took a while" }).click();
      await title(page).fill("x".repeat(400));
      assert.equal((await title(page).inputValue()).length, 300);
      await page.getByRole("log").click();
      await until("leaving it saves", async () => (await read(id)).title === "x".repeat(300));
    },
    { expected: /503/ },
  );
});

test("a request is taken, snoozed and solved from its header, each by its key too", async () => {
  const id = await made("The dock light stays on");
  const { user } = (await desk.api("GET", "/me")).me;
  await withPage(desk, async (page) => {
    await openInbox(page);
    await opened(page, id);
    await accessibleInBoth(page, "the header of a request");
    // The keys stand beside the words.
    for (const [name, key] of [
      ["Assign to me", "i"],
      ["Snooze", "h"],
      ["Solve", "e"],
    ])
      assert.equal(await action(page, name).locator("kbd").innerText(), key);
    const solve = await action(page, "Solve").boundingBox();
    await page.keyboard.press("i");
    await until("it is mine", async () => (await read(id)).assignee?.id === user.id);
    await action(page, "Assign to me").waitFor({ state: "detached" });
    assert.deepEqual(await action(page, "Solve").boundingBox(), solve, "a button moved");
    await page.keyboard.press("z");
    await until("it is nobody's", async () => (await read(id)).assignee === null);
    await action(page, "Assign to me").click();
    await until("it is mine", async () => (await read(id)).assignee?.id === user.id);

    await action(page, "Snooze").click();
    await page
      .getByRole("dialog", { name: /^Snooze/ })
      .getByRole("option", { name: "Until the customer answers" })
      .click();
    await until("it is snoozed", async () => (await read(id)).snooze?.until === null);
    await action(page, "Solve").click();
    await until("it is solved", async () => (await read(id)).state === "solved");
    await action(page, "Reopen").click();
    await until("it is open again", async () => (await read(id)).state === "open");
  });
  await withPage(
    desk,
    async (page) => {
      await opened(page, id);
      assert.equal(await action(page, "Solve").locator("kbd").isVisible(), false, "a key is shown where there is none");
      await action(page, "Snooze").tap();
      await page
        .getByRole("dialog", { name: /^Snooze/ })
        .getByRole("option", { name: "Until the customer answers" })
        .tap();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page scrolls sideways");
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});

test("properties are chosen beside their controls, by typing, and the focus comes back", async () => {
  const id = await made("Which carrier takes pallets?");
  await withPage(desk, async (page) => {
    await openInbox(page);
    await opened(page, id);
    const panel = page.getByRole("complementary", { name: "Properties" });
    const state = panel.getByRole("button", { name: /^State: / });
    const dialog = page.getByRole("dialog", { name: "State" });
    await state.focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    // It is at the control, and nothing is dimmed.
    const [box, at] = [await dialog.boundingBox(), await state.boundingBox()];
    assert.ok(Math.abs(box.y - (at.y + at.height)) < 10 && box.x + box.width <= 1440, `${JSON.stringify(box)} is not below ${JSON.stringify(at)}`);
    assert.equal(await page.locator(".mantine-Modal-overlay").count(), 0);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await hasFocus(page, state, "the focus is back");
    assert.match(new URL(page.url()).pathname, /^\/requests\/./, "Escape closed the request, too");

    await page.keyboard.press("Enter");
    await dialog.getByRole("combobox").fill("pen");
    await dialog.locator("[role=option][data-at]").filter({ hasText: "Pending" }).waitFor();
    await page.keyboard.press("Enter");
    await until("it is pending", async () => (await read(id)).state === "pending");
    await hasFocus(page, panel.getByRole("button", { name: "State: Pending" }), "the focus is back after a choice");

    // A press beside it closes it, and one at its control, too.
    await state.click();
    await dialog.waitFor();
    await state.click();
    await dialog.waitFor({ state: "detached" });
    await state.click();
    await dialog.waitFor();
    await page.getByRole("heading", { name: "Properties" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal((await read(id)).state, "pending");

    // The key opens it at the same place; where the panel is hidden, at the header.
    await page.getByRole("log").focus();
    await page.keyboard.press("p");
    const priority = page.getByRole("dialog", { name: "Priority" });
    const control = await panel.getByRole("button", { name: /^Priority: / }).boundingBox();
    assert.ok(Math.abs((await priority.boundingBox()).y - control.y - control.height) < 10);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await until("it is low", async () => (await read(id)).priority === "low");
    await page.getByRole("button", { name: "Hide properties" }).click();
    await page.keyboard.press("p");
    await priority.waitFor();
    assert.ok((await priority.boundingBox()).y < 160);
    await page.keyboard.press("Escape");
    // Of the list, at the row that the keys are at.
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/requests(\?.*)?$/);
    await page.keyboard.press("p");
    const here = await page.locator("li[data-id][data-here]").boundingBox();
    const there = await priority.boundingBox();
    assert.ok(there.y >= here.y + here.height || there.y + there.height <= here.y, "it covers the row");
  });
});

test("clocks are bars that say when they count, and ask for nothing more with each request", async () => {
  const [id, other] = [await made("The wrapper jams"), await made("The wrapper jams again")];
  const { sla } = await desk.api("GET", `/requests/${id}/sla`);
  await withPage(desk, async (page) => {
    const asked = [];
    page.on("request", (r) => asked.push(new URL(r.url()).pathname));
    await openInbox(page);
    const letGo = await hold(page, /\/sla$/);
    await page.locator(`li[data-id="${id}"]`).getByRole("link").click();
    const panel = page.getByRole("complementary", { name: "Properties" });
    const bar = panel.getByRole("meter", { name: "Resolution, time used" });
    const below = panel.getByRole("heading", { name: "Properties" });
    await below.waitFor();
    const { y } = await below.boundingBox();
    letGo();
    await bar.waitFor();
    assert.ok(Math.abs((await below.boundingBox()).y - y) <= 2, "the properties moved when the clocks came");
    assert.equal(Number(await bar.getAttribute("aria-valuemax")), sla.resolution.target_minutes);
    await panel
      .getByText(/^Counts .*\. Paused while pending/)
      .first()
      .waitFor();
    assert.equal(await panel.getByRole("heading").first().innerText(), "SLA", "it stands on top");
    await desk.api("PATCH", `/requests/${id}`, { state: "pending" });
    await panel
      .getByText(/paused, .* left$/)
      .first()
      .waitFor();
    await accessibleInBoth(page, "clocks that are paused");
    asked.length = 0;
    await page.locator(`li[data-id="${other}"]`).getByRole("link").click();
    await heading(page, /jams again/).waitFor();
    await bar.waitFor();
    assert.deepEqual(
      asked.filter((p) => /sla-policies|schedules|collections/.test(p)),
      [],
    );
  });
});
