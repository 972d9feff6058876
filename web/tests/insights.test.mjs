// The dashboards and the explorer, against what the API answers.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, accessibleInBoth, close, launch, withPage } from "./browser.mjs";
import { source } from "./source.mjs";

let desk;
let days; // whole days that are over, so that nothing here depends on the time of day

before(async () => {
  await launch();
  desk = await startDemo();
  const { account } = await desk.api("GET", "/account");
  assert.equal(account.time_zone, "UTC", "the days here are UTC's");
  const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  days = [day(60), day(2)];
});

after(async () => {
  await close();
  await desk?.stop();
});

const range = () => `range=${days.join("..")}`;

async function numbers(measures, more = {}) {
  const { dimensions, filters, granularity } = more;
  const { insights } = await desk.api("POST", "/insights/query", {
    query: {
      measures: measures.map((m) => `Requests.${m}`),
      time_dimensions: [{ dimension: "Requests.created_at", date_range: days, ...(granularity && { granularity }) }],
      ...(dimensions && { dimensions: dimensions.map((d) => `Requests.${d}`) }),
      ...(filters && { filters }),
    },
  });
  return insights;
}

/** How many requests the API lists for the address of an inbox. */
async function listed(address) {
  const words = new URL(address, desk.url).searchParams;
  words.set("limit", "100");
  for (let all = 0; ;) {
    const { requests, response_metadata } = await desk.api("GET", `/requests?${words}`);
    all += requests.length;
    if (response_metadata.next_cursor === null) return all;
    words.set("next_cursor", response_metadata.next_cursor);
  }
}

/** Waits until a locator has this text, and no other. */
async function says(locator, text) {
  await locator.filter({ hasText: new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\s*$`) }).waitFor();
}

test("a dashboard shows the numbers that the API gives, and each opens the requests behind it", async () => {
  const [whole] = await numbers(["count", "resolved_requests_count", "resolution_rate_percent"]);
  const count = whole["Requests.count"];
  assert.ok(count > 0);
  await withPage(desk, async (page) => {
    await page.goto("/insights");
    await page.waitForURL("**/insights/volume");
    await page.goto(`/insights/volume?${range()}`);
    await page.getByRole("heading", { level: 1, name: "Insights" }).waitFor();
    const figure = (name) => page.getByRole("region", { name, exact: true }).getByRole("link").first();
    await says(figure("New requests"), String(count));
    await says(figure("Solved or closed"), String(whole["Requests.resolved_requests_count"]));
    await figure("Resolution rate").filter({ hasText: "%" }).waitFor();

    // The set behind a number is the number.
    assert.match(await figure("New requests").getAttribute("title"), /^Open these requests(\n|$)/);
    assert.equal(await listed(await figure("New requests").getAttribute("href")), count);
    assert.equal(await listed(await figure("Solved or closed").getAttribute("href")), whole["Requests.resolved_requests_count"]);
    // What the inbox cannot be narrowed to is said.
    assert.match(await figure("Answered").getAttribute("title"), /cannot filter/);

    const byCustomer = await numbers(["count"], { dimensions: ["customer_id"] });
    const { customers } = await desk.api("GET", "/customers");
    for (const row of byCustomer) {
      const name = customers.find((c) => c.id === row["Requests.customer_id"]).name;
      const line = page
        .getByRole("region", { name: "By customer" })
        .getByRole("row")
        .filter({ has: page.getByRole("rowheader", { name, exact: true }) });
      const link = line.getByRole("link").first();
      await says(link, String(row["Requests.count"]));
      assert.equal(await listed(await link.getAttribute("href")), row["Requests.count"], `requests of ${name}`);
    }

    await page.getByRole("button", { name: "Explain: New requests" }).click();
    await page.getByText("Requests.count").waitFor();
    await page.keyboard.press("Escape");

    // The time over which they came has the same numbers, as a table.
    const chart = page.getByRole("region", { name: "New and resolved", exact: true });
    await chart.getByText("Table", { exact: true }).click();
    const byWeek = await numbers(["count"], { granularity: "week" });
    await chart.getByRole("row").nth(1).waitFor();
    const shown = await chart
      .getByRole("row")
      .filter({ has: page.getByRole("link") })
      .count();
    assert.equal(shown, byWeek.length);

    // Narrowed to a customer, by the address.
    const one = byCustomer[0];
    await page.goto(`/insights/volume?${range()}&customer_id=${one["Requests.customer_id"]}`);
    await says(figure("New requests"), String(one["Requests.count"]));
    await figure("New requests").click();
    await page.waitForURL((url) => url.pathname === "/requests" && url.searchParams.get("customer_id") === String(one["Requests.customer_id"]));
  });
});

test("the explorer answers any question, as a table, a file and a call", async () => {
  await withPage(desk, async (page) => {
    await page.goto(`/insights/explorer?${range()}&each=none`);
    await page.getByRole("combobox", { name: "Group by" }).or(page.getByLabel("Group by")).first().click();
    await page.getByRole("option", { name: "Priority" }).click();
    await page.waitForURL((url) => url.searchParams.get("by") === "priority");
    await page.keyboard.press("Escape");
    const rows = await numbers(["count"], { dimensions: ["priority"] });
    const table = page.getByRole("region", { name: "Table", exact: true });
    await table.getByText(`${rows.length} rows`).waitFor();
    for (const row of rows) {
      const word = row["Requests.priority"];
      const name = word[0].toUpperCase() + word.slice(1);
      const link = table.getByRole("row", { name: new RegExp(`^${name}`) }).getByRole("link");
      await says(link, String(row["Requests.count"]));
      assert.equal(await listed(await link.getAttribute("href")), row["Requests.count"], `requests of ${word}`);
    }

    // A filter, put together by hand.
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByLabel("Values").first().click();
    await page.getByRole("option", { name: "Solved" }).click();
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => url.searchParams.get("filters") === "state:equals:solved");
    const filters = [{ member: "Requests.state", operator: "equals", values: ["solved"] }];
    const solved = await numbers(["count"], { dimensions: ["priority"], filters });
    await table.getByText(solved.length === 1 ? "1 row" : `${solved.length} rows`, { exact: true }).waitFor();
    const normal = solved.find((r) => r["Requests.priority"] === "normal");
    await says(table.getByRole("row", { name: /^Normal/ }).getByRole("link"), String(normal["Requests.count"]));

    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()]);
    assert.equal(download.suggestedFilename(), "insights.csv");
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
    assert.equal(lines[0], "Requests.priority,Requests.count");
    assert.ok(lines.includes(`normal,${normal["Requests.count"]}`), lines.join("\n"));

    await page.getByRole("button", { name: "Copy as API call" }).click();
    const call = await page.getByRole("dialog").getByRole("textbox", { name: "Command" }).textContent();
    const body = JSON.parse(call.slice(call.indexOf("-d '") + 4, -1));
    assert.deepEqual((await desk.api("POST", "/insights/query", body)).insights, solved);
    await accessible(page, "the API call");
    await page.keyboard.press("Escape");

    // The address is the whole question.
    await page.reload();
    await says(table.getByRole("row", { name: /^Normal/ }).getByRole("link"), String(normal["Requests.count"]));
  });
});

test("an admin without a chat profile learns what to do, and nothing is refused", async () => {
  await withPage(desk, async (page) => {
    const { me } = await desk.api("GET", "/me");
    await page.route("**/v1/rest/me", (route) => route.fulfill({ json: { me: { ...me, user: null } } }));
    const asked = [];
    page.on("request", (r) => r.url().includes("/insights/query") && asked.push(r.url()));
    for (const path of ["/insights/volume", "/insights/explorer"]) {
      await page.goto(path);
      await page.getByRole("heading", { name: "No chat profile for your email" }).waitFor();
      await page.getByText(me.member.email, { exact: false }).waitFor();
      assert.equal(await page.getByRole("link", { name: "People and roles" }).getAttribute("href"), "/settings/people");
    }
    await accessible(page, "insights without a profile");
    await page.goto("/customers");
    await page.getByRole("row").nth(1).waitFor();
    assert.deepEqual(asked, []);
  });
});

test("where there is nothing, it says where numbers come from", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/insights/sla?range=2020-01-01..2020-01-31");
    await page.getByRole("heading", { name: "No SLA applied in this period" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Create an SLA policy" }).getAttribute("href"), "/settings/sla");
    await page.goto("/insights/satisfaction?range=2020-01-01..2020-01-31");
    await page.getByRole("heading", { name: "No surveys sent in this period" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Turn on surveys in a collection" }).getAttribute("href"), "/settings/collections");
    await page.getByRole("button", { name: /Show the last 12 months/ }).click();
    await page.getByRole("region", { name: "CSAT score" }).waitFor();
  });
});

test("insights are accessible", async () => {
  await withPage(desk, async (page) => {
    for (const [path, ready] of [
      ["volume", "By priority"],
      ["speed", "By collection"],
      ["sla", "By assignee"],
      ["satisfaction", "By score"],
      ["explorer", "Table"],
    ]) {
      await page.goto(`/insights/${path}?${range()}`);
      await page.getByRole("region", { name: ready, exact: true }).getByRole("row").nth(1).waitFor();
      await page.getByRole("img").first().waitFor();
      await accessibleInBoth(page, path, async (colorScheme) => {
        if (path !== "sla") return;
        const bars = page.getByRole("region", { name: "SLA breaches" }).locator("path.recharts-rectangle");
        const colours = await bars.evaluateAll((all) => all.map((e) => getComputedStyle(e).fill.match(/\d+/g).map(Number)));
        assert.ok(colours.length > 0);
        for (const [red, green, blue] of colours) assert.ok(red > 1.5 * green && red > 1.5 * blue, `late is drawn in rgb(${red}, ${green}, ${blue}), ${colorScheme}`);
      });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/insights/volume?${range()}`);
    await page.getByRole("region", { name: "By priority" }).getByRole("row").nth(1).waitFor();
    assert.ok(await page.evaluate(() => document.querySelector("main").scrollWidth <= innerWidth), "a phone does not scroll sideways");
  });
});

test("days are those of the account's time zone", async () => {
  // It is far from both UTC and the browser, and begins its days when others end theirs.
  await desk.api("PATCH", "/account", { time_zone: "Pacific/Auckland" });
  try {
    const [whole] = await numbers(["count"]);
    const byDay = await numbers(["count"], { granularity: "day" });
    await withPage(desk, async (page) => {
      await page.goto(`/insights/volume?${range()}`);
      const number = page.getByRole("region", { name: "New requests", exact: true }).getByRole("link");
      await says(number, String(whole["Requests.count"]));
      assert.equal(await listed(await number.getAttribute("href")), whole["Requests.count"]);
      await page.goto(`/insights/explorer?${range()}&each=day`);
      const table = page.getByRole("region", { name: "Table", exact: true });
      await table.getByText(`${byDay.length} rows`).waitFor();
      const links = await table.getByRole("link").evaluateAll((all) => all.map((a) => [a.getAttribute("href"), Number(a.textContent)]));
      assert.equal(links.length, byDay.length);
      for (const [href, count] of links) assert.equal(await listed(href), count, href);
      const axis = page.locator(".recharts-yAxis-tick-labels .recharts-cartesian-axis-tick-value");
      await axis.first().waitFor();
      const marks = await axis.allTextContents();
      assert.ok(marks.length > 1);
      assert.equal(new Set(marks).size, marks.length, `the axis says ${marks}`);

      // The inbox names those days, and so does the dialog that changes them.
      const day = byDay[0]["Requests.created_at.day"].slice(0, 10);
      const named = (n) => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" }).format(Date.parse(day) + n * 86_400_000);
      await table.locator(`a[href="${links[0][0]}"]`).click();
      const chip = (name) => page.getByRole("button", { name: `Remove filter: ${name}`, exact: true });
      await chip(`From ${named(0)}`).waitFor();
      await chip(`Before ${named(1)}`).waitFor();
      const seen = new URL(page.url()).searchParams;
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await page.getByRole("menuitem", { name: "Dates…" }).click();
      const dates = page.getByRole("dialog", { name: "Dates" });
      assert.equal(await dates.getByLabel("Created on or after").inputValue(), day);
      await dates.getByLabel("Created before").fill("");
      await dates.getByLabel("Created on or after").fill("");
      await dates.getByLabel("Created on or after").fill(day);
      await dates.getByRole("button", { name: "Apply" }).click();
      await chip(`Before ${named(1)}`).waitFor({ state: "detached" });
      assert.equal(new URL(page.url()).searchParams.get("after"), seen.get("after"), "a day that is chosen is the account's day");
    });
  } finally {
    await desk.api("PATCH", "/account", { time_zone: "UTC" });
  }
});

test("every measure of the API has a name and a meaning for people", async () => {
  const { wordsOf } = await source("screens/insights/measures.ts");
  const { insights } = await desk.api("GET", "/insights/meta");
  for (const { name } of insights.measures) {
    const { title, meaning } = wordsOf({ name, title: "", meaning: "" });
    assert.ok(title && meaning, name);
  }
  // One that is newer than this page is shown as the API describes it.
  assert.deepEqual(wordsOf({ name: "Requests.new_avg", title: "New average", meaning: "New." }), { title: "New average", meaning: "New." });
});

test("in German, numbers, days and sentences are German", async () => {
  const { periodName } = await source("screens/insights/period.ts", { locale: "de-DE" });
  await withPage(
    desk,
    async (page) => {
      await page.goto(`/insights/volume?${range()}`);
      await page.getByRole("heading", { name: "Auswertungen" }).waitFor();
      await page.getByText(`Anfragen vom ${periodName({ from: days[0], to: days[1] })}, verglichen mit den 59 Tagen davor.`).waitFor();
      await page.getByRole("region", { name: "Nach Kunde" }).getByRole("columnheader", { name: "Gelöst" }).waitFor();
      await page.getByRole("region", { name: "Nach Status" }).getByRole("rowheader", { name: "Offen" }).waitFor();
      await page.goto(`/insights/explorer?measures=first_response_time_p90,count&by=priority&each=none&${range()}`);
      await page.getByRole("columnheader", { name: "Erstantwortzeit, 90. Perzentil" }).waitFor();
      await page.getByRole("region", { name: "Tabelle" }).getByRole("cell", { name: "Dringend" }).waitFor();
    },
    { locale: "de-DE" },
  );
});
