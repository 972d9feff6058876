// Explorations that are saved, dashboards that are put together from them, targets, and
// the time before.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, accessibleInBoth, close, launch, until, withPage } from "./browser.mjs";
import { sources } from "./source.mjs";

const [{ periodOf, dateRangeOf, rangeWordOf }, { savedQuestion, toSave, questionOf, searchOf, isMissed }, { coloursOf }] = await sources([
  "screens/insights/period.ts",
  "screens/insights/question.ts",
  "screens/insights/colours.ts",
]);

let desk;
before(async () => {
  await launch();
  desk = await startDemo();
});
after(async () => {
  await close();
  await desk?.stop();
});

const saved = async () => (await desk.api("GET", "/insights/explorations")).explorations;
const boards = async () => (await desk.api("GET", "/insights/dashboards")).dashboards;
const explore = (name, measures, more = {}, rest = {}) =>
  desk.api("POST", "/insights/explorations", {
    name,
    query: {
      measures: measures.map((m) => `Requests.${m}`),
      time_dimensions: [{ dimension: "Requests.created_at", date_range: "from 29 days ago to now", ...(more.each && { granularity: more.each }) }],
      ...(more.by && { dimensions: [`Requests.${more.by}`] }),
    },
    ...rest,
  });

test("a range is saved in words, and comes back as it was", () => {
  for (const word of [undefined, "7d", "90d", "this-month", "last-month", "12m", "2026-05-01..2026-05-13"]) assert.equal(rangeWordOf(dateRangeOf(word)), word);
  assert.deepEqual(dateRangeOf("2026-05-01..2026-05-13"), ["2026-05-01", "2026-05-13"]);
  // The words of the API mean the same days as ours.
  for (const word of ["7d", "30d", "90d", "last-month", "12m", "this-month"]) assert.deepEqual(periodOf(dateRangeOf(word), "UTC"), periodOf(word, "UTC"), word);
  assert.equal(rangeWordOf("last 2 weeks"), "last 2 weeks");
  const { from, to } = periodOf("last 2 weeks", "UTC");
  assert.equal((Date.parse(to) - Date.parse(from)) / 86_400_000, 13);
  assert.equal(new Date(from).getUTCDay(), 1);
});

test("a question is the same after it was saved", () => {
  const search = {
    measures: "count,first_response_time_p50",
    by: "priority",
    each: "week",
    range: "90d",
    filters: "state:equals:open|solved;title:contains:a%3Bb",
    chart: "bar",
    target: "first_response_time_p50:at_most:60",
  };
  const question = questionOf(search);
  assert.deepEqual(JSON.parse(JSON.stringify(searchOf(savedQuestion(toSave(question, "line"))))), search);
  assert.equal(isMissed(question.target, "first_response_time_p50", 60), false);
  assert.equal(isMissed(question.target, "first_response_time_p50", 60.1), true);
  assert.equal(isMissed(question.target, "count", 100), false);
});

test("what is late is red, also in groups", () => {
  assert.ok(coloursOf(["a", "b", "c", "d", "e", "f", "g", "h"], true).every((c) => c.startsWith("red.")));
  assert.ok(coloursOf(["a", "b"]).every((c) => !c.startsWith("red.")));
});

test("an exploration is saved, changed, renamed, and deleted with undo", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/insights/explorer?measures=first_response_time_p50&each=week&range=90d");
    await page.getByRole("region", { name: "Chart" }).waitFor();
    // A target is drawn as a line.
    await page.getByRole("button", { name: "Add target" }).click();
    await page.getByLabel("Target in minutes").fill("1");
    await page.getByText("Target: at most 1 min").waitFor();
    await page.getByRole("button", { name: "Saved explorations" }).click();
    await page.getByRole("menuitem", { name: "Save as an exploration" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Speed <b>");
    await page.getByRole("switch").click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Speed <b>" }).waitFor();
    const [one] = await saved();
    assert.equal(one.name, "Speed <b>");
    assert.equal(one.shared, true);
    assert.equal(one.query.time_dimensions[0].date_range, "from 89 days ago to now");
    assert.deepEqual(one.target, { measure: "Requests.first_response_time_p50", bound: "at_most", value: 1 });

    // What is changed can be kept.
    await page.getByRole("combobox", { name: "Show as" }).click();
    await page.getByRole("option", { name: "Bars" }).click();
    await page.getByRole("button", { name: "Speed <b> (changed)" }).click();
    await page.getByRole("menuitem", { name: "Update" }).click();
    await until("the bars are saved", async () => (await saved())[0].chart === "bar");
    await accessible(page);

    await page.getByRole("button", { name: "Speed <b>" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await until("it is deleted", async () => (await saved()).length === 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await until("it is back", async () => (await saved())[0]?.id === one.id);

    // The address alone leads to the same question.
    const { pathname, search } = new URL(page.url());
    await page.goto("/insights/volume");
    await page.goto(pathname + search);
    await page.getByText("Target: at most 1 min").waitFor();
    await page.getByRole("button", { name: "Speed <b>" }).waitFor();
  });
});

test("a dashboard is put together, arranged by keyboard, narrowed, and deleted with undo", async () => {
  await explore("Arrivals", ["count"], { each: "day" }, { chart: "bar" });
  await explore("Breaches", ["first_response_sla_breached"], { by: "priority" }, { chart: "table" });
  await explore("Numbers", ["count", "first_response_time_p50"], {}, { chart: "number", target: { measure: "Requests.first_response_time_p50", bound: "at_most", value: 0 } });
  await withPage(desk, async (page) => {
    await page.goto("/insights/volume");
    await page.getByRole("button", { name: "New dashboard" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Monday");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "Monday" }).waitFor();
    for (const name of ["Arrivals", "Numbers", "Breaches"]) {
      await page.getByRole("combobox", { name: "Add an exploration" }).click();
      await page.getByRole("option", { name }).click();
      await page.getByRole("region", { name, exact: true }).waitFor();
    }
    const order = async () => {
      const [board] = await boards();
      const all = await saved();
      return board.cards.map((c) => all.find((e) => e.id === c.exploration_id).name);
    };
    await until("all are on it", async () => (await order()).join() === "Arrivals,Numbers,Breaches");

    // Moved by keyboard: the focus goes along.
    await page.getByRole("button", { name: "Move Breaches up" }).focus();
    await page.keyboard.press("Enter");
    await until("it moved up", async () => (await order()).join() === "Arrivals,Breaches,Numbers");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Move Breaches up");
    await page.keyboard.press("Enter");
    await until("and again", async () => (await order()).join() === "Breaches,Arrivals,Numbers");
    await page.getByRole("group", { name: "Arrange Arrivals" }).getByText("Full", { exact: true }).click();
    await until("it is wide", async () => (await boards())[0].cards[1].width === "whole");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Move Breaches up" }).waitFor({ state: "detached" });

    // The time before, on a figure and on a point of a chart.
    const numbers = page.getByRole("region", { name: "Numbers", exact: true });
    await numbers.getByText("missed").waitFor();
    await until("a figure tells of the time before", async () => /\nBefore: /.test((await numbers.getByRole("link").first().getAttribute("title")) ?? ""));
    const chart = page.getByRole("region", { name: "Arrivals", exact: true });
    await chart.getByRole("img").first().hover();
    await chart.locator("[data-tooltip]").getByText("before:").waitFor();
    await accessibleInBoth(page);

    // One range for all, which can be kept.
    await page.getByRole("combobox", { name: "Period" }).click();
    await page.getByRole("option", { name: "Last month" }).click();
    await page.waitForURL("**range=last-month**");
    await page.getByRole("combobox", { name: "Priority" }).click();
    await page.getByRole("option", { name: "Urgent" }).click();
    await page.getByRole("button", { name: "Save for this dashboard" }).click();
    await until("it is kept", async () => (await boards())[0].date_range === "Last month");
    assert.deepEqual((await boards())[0].filters, [{ member: "Requests.priority", operator: "equals", values: ["urgent"] }]);

    await page.getByRole("button", { name: "More for this dashboard" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await until("it is deleted", async () => (await boards()).length === 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "Monday" }).waitFor();
    assert.equal((await boards())[0].cards.length, 3);
  });
});

test("a built-in dashboard is copied and then one's own", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/insights/sla?range=90d");
    await page.getByRole("button", { name: "Copy and edit" }).click();
    await page.getByRole("heading", { name: "SLA (copy)" }).waitFor();
    await page.getByRole("region", { name: "SLA breaches", exact: true }).waitFor();
    await page.getByRole("region", { name: "SLA by customer", exact: true }).getByRole("link").first().waitFor();
    const copy = (await boards()).find((d) => d.name === "SLA (copy)");
    assert.equal(copy.date_range, "from 89 days ago to now");
    assert.equal(copy.cards.length, 6);
    await page.getByRole("button", { name: "Arrange" }).click();
    await page.getByRole("button", { name: "Remove SLA by customer from the dashboard" }).click();
    await until("it is off", async () => (await boards()).find((d) => d.id === copy.id).cards.length === 5);
  });
});

test("a dashboard is sent on a schedule, and now to oneself", async () => {
  const { exploration } = await explore("Sent along", ["count"], {}, { chart: "number" });
  const { dashboard } = await desk.api("POST", "/insights/dashboards", { name: "To send <b>", cards: [{ exploration_id: exploration.id, width: "whole" }] });
  const reports = async () => (await desk.api("GET", "/insights/reports")).reports;
  await withPage(desk, async (page, context) => {
    await page.goto(`/insights/dashboards/${dashboard.id}`);
    const open = async () => {
      await page.getByRole("button", { name: "More for this dashboard" }).click();
      await page.getByRole("menuitem", { name: "Send on a schedule" }).click();
    };
    await open();
    await page.getByText("This dashboard is not sent on a schedule yet.").waitFor();
    await page.getByRole("button", { name: "Add a schedule" }).click();
    await page.getByText("Everyone who gets it sees the numbers of the requests you can see.").waitFor();
    await page.getByRole("combobox", { name: "On", exact: true }).click();
    await page.getByRole("option", { name: "Friday" }).click();
    await accessibleInBoth(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Every week on Friday at 09:00").waitFor();
    const [made] = await reports();
    const { me } = await desk.api("GET", "/me");
    assert.deepEqual([made.dashboard_id, made.every, made.weekday, made.hour, made.member_ids], [dashboard.id, "week", "friday", 9, [me.member.id]]);
    await page.getByText("Not sent yet.").waitFor();
    await accessibleInBoth(page);

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("combobox", { name: "How often" }).click();
    await page.getByRole("option", { name: "Every day" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Every day at 09:00").waitFor();
    assert.equal((await reports())[0].every, "day");

    await page.getByRole("button", { name: "Send to me now" }).click();
    await page.getByText("The dashboard is on its way to you.").waitFor();
    const mailbox = await context.newPage();
    await mailbox.goto(`/mailbox?as=${encodeURIComponent(me.member.email)}`);
    await mailbox
      .getByRole("button", { name: /To send <b>/ })
      .first()
      .click();
    await mailbox.frameLocator("iframe").last().getByText("Sent along").waitFor();
    await mailbox.close();

    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog", { name: "Remove this schedule?" }).getByRole("button", { name: "Remove" }).click();
    await until("it is removed", async () => (await reports()).length === 0);
    await page.getByText("This dashboard is not sent on a schedule yet.").waitFor();
  });
});
