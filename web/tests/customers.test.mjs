// The customers: the list with its numbers, and a page that is changed as one goes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, accessibleInBoth, close, launch, withPage } from "./browser.mjs";

let desk;

before(async () => {
  await launch();
  desk = await startDemo();
  await desk.api("POST", "/custom-fields", { name: "Plan", type: "select", entity_type: "customer", config: { options: [{ value: "Basic" }, { value: "Gold" }] } });
  await desk.api("POST", "/custom-fields", { name: "Seats", type: "number", entity_type: "customer" });
});

after(async () => {
  await close();
  await desk?.stop();
});

const open = "open,in_progress,pending,on_hold";

test("the list has each customer's numbers, is searched, and leads on", async () => {
  const { customers } = await desk.api("GET", "/customers");
  const pine = customers.find((c) => c.name === "Harbor & Pine");
  const [asked] = (await desk.api("GET", `/requests?customer_id=${pine.id}&state=${open}&limit=1`)).requests;
  await withPage(desk, async (page) => {
    await page.goto("/customers");
    await page.getByRole("heading", { level: 1, name: "Customers" }).waitFor();
    // What we answer is activity, too.
    const { message } = await desk.api("POST", `/requests/${asked.id}/message`, { html_body: "<p>We look into it.</p>" });
    await page.reload();
    await page
      .getByRole("row", { name: /Harbor & Pine/ })
      .locator(`time[datetime="${message.created_at}"]`)
      .waitFor();
    for (const c of customers) {
      const { requests } = await desk.api("GET", `/requests?customer_id=${c.id}&state=${open}&limit=100`);
      const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: c.name, exact: true }) });
      await row.getByRole("link", { name: String(requests.length), exact: true }).waitFor();
      await row.getByText(c.domains[0]).waitFor();
    }
    await page.getByRole("searchbox").fill("fernhill.test");
    await page.waitForURL((url) => url.searchParams.get("query") === "fernhill.test");
    await page.getByRole("rowheader", { name: "Harbor & Pine" }).waitFor({ state: "detached" });
    assert.equal(await page.getByRole("rowheader").count(), 1);
    await page.getByRole("searchbox").fill("nobody has this");
    await page.getByRole("button", { name: "Show all customers" }).click();
    await page.getByRole("button", { name: "Open requests" }).click();
    await page.waitForURL((url) => url.searchParams.get("sort") === "open");
    await page.getByRole("link", { name: "Harbor & Pine" }).click();
    await page.waitForURL("**/customers/*");
    await page.getByRole("heading", { level: 1, name: "Harbor & Pine" }).waitFor();
    await page.getByRole("region", { name: "Open requests" }).locator(`a[href^="/requests/${asked.key}?"] time[datetime="${message.created_at}"]`).waitFor();
    await page.getByRole("region", { name: "People" }).getByText("ines@harborpine.test").waitFor();
    await page.getByRole("region", { name: "Channels" }).getByRole("link", { name: "#harbor-and-pine" }).waitFor();
  });
});

test("a customer is made, changed as one goes, and another's change is told", async () => {
  await withPage(
    desk,
    async (page) => {
      await page.goto("/customers");
      await page.getByRole("button", { name: /New customer/ }).click();
      const dialog = page.getByRole("dialog", { name: "New customer" });
      await dialog.getByLabel("Name").fill("Globex <b>Corporation</b>");
      await dialog.getByLabel("Domains").fill("not a domain!");
      await page.keyboard.press("Enter");
      await accessible(page, "a new customer");
      await dialog.getByRole("button", { name: "Create customer" }).click();
      // What is wrong with the domains is said beside them.
      await dialog.getByText("must be a domain name, such as example.com").waitFor();
      for (let i = 0; i < 3; i++) {
        await dialog.getByLabel("Domains").focus();
        await page.keyboard.press("Backspace");
      }
      await dialog.getByLabel("Domains").fill("globex.test");
      await page.keyboard.press("Enter");
      await dialog.getByRole("button", { name: "Create customer" }).click();
      await page.getByRole("heading", { level: 1, name: "Globex <b>Corporation</b>" }).waitFor();
      const id = Number(new URL(page.url()).pathname.split("/").pop());
      const now = async () => (await desk.api("GET", `/customers/${id}`)).customer;
      assert.deepEqual((await now()).domains, ["globex.test"]);

      const about = page.getByRole("complementary", { name: "About this customer" });
      const saved = about.getByText("Saved", { exact: true });
      await about.getByLabel("Domains").fill("globex.example");
      await page.keyboard.press("Enter");
      await saved.first().waitFor();
      assert.deepEqual((await now()).domains, ["globex.test", "globex.example"]);

      await about.getByRole("combobox", { name: "Plan" }).or(about.getByLabel("Plan")).first().click();
      await page.getByRole("option", { name: "Gold" }).click();
      await saved.nth(1).waitFor();
      await about.getByLabel("Seats").fill("250");
      await page.keyboard.press("Enter");
      await saved.nth(2).waitFor();
      assert.deepEqual(Object.values((await now()).custom_field_values).toSorted(), ["2", 250].toSorted());

      // Somebody else is faster: their change arrives while ours is on its way.
      let first = true;
      await page.route(`**/v1/rest/customers/${id}`, async (route) => {
        if (route.request().method() === "PATCH" && first) {
          first = false;
          await desk.api("PATCH", `/customers/${id}`, { version: (await now()).version, name: "Globex of others" });
        }
        await route.continue();
      });
      await about.getByLabel("Name").fill("Globex of mine");
      await page.keyboard.press("Enter");
      await about.getByText(/Someone else changed this customer in the meantime/).waitFor();
      await page.getByRole("heading", { level: 1, name: "Globex of others" }).waitFor();
      assert.equal((await now()).name, "Globex of others");
      // Once it is known, the same change goes through.
      await about.getByLabel("Name").press("Enter");
      await page.getByRole("heading", { level: 1, name: "Globex of mine" }).waitFor();
      assert.equal((await now()).name, "Globex of mine");
    },
    { expected: /400|409/ },
  );
});

test("who only looks sees no controls", async () => {
  await withPage(desk, async (page) => {
    await page.route("**/v1/rest/me", async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      body.me.member.role = "viewer";
      await route.fulfill({ response: answer, json: body });
    });
    await page.goto("/customers");
    await page.getByRole("rowheader", { name: "Harbor & Pine" }).waitFor();
    assert.equal(await page.getByRole("button", { name: /New customer/ }).count(), 0);
    await page.getByRole("link", { name: "Harbor & Pine" }).click();
    const about = page.getByRole("complementary", { name: "About this customer" });
    await about.getByText("harborpine.test", { exact: true }).waitFor();
    assert.equal(await about.getByRole("textbox").count(), 0);
  });
});

test("customers are accessible", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/customers");
    await page.getByRole("rowheader", { name: "Harbor & Pine" }).waitFor();
    await accessibleInBoth(page, "customers");
    await page.goto("/customers/1");
    await page.getByRole("region", { name: "Open requests" }).getByRole("link").first().waitFor();
    await page.getByRole("region", { name: "Last 12 weeks" }).getByRole("img").first().waitFor();
    await accessibleInBoth(page, "a customer");
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok(await page.evaluate(() => document.querySelector("main").scrollWidth <= innerWidth), "a phone does not scroll sideways");
  });
});
