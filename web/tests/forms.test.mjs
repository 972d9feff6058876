// Custom fields, ticket forms, schedules and SLA policies in the settings: what is
// built on the screen is what the API says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, accessibleInBoth, close, launch, withPage } from "./browser.mjs";

let desk;

before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});

after(async () => {
  await close();
  await desk?.stop();
});

const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const section = (page, title) => page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: title, exact: true }) });

/** Opens a list of choices and takes one. */
async function choose(page, box, option) {
  await box.click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** Repeats the check until it passes: a save may still be on its way. */
async function eventually(check) {
  for (const end = Date.now() + 300_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    try {
      return await check();
    } catch (e) {
      if (Date.now() > end) throw e;
    }
  }
}

/** Does something that saves, and waits until the server has answered. */
async function saving(page, address, act) {
  const answer = page.waitForResponse((r) => r.url().includes(address) && r.request().method() !== "GET");
  await act();
  assert.ok((await answer).ok(), await (await answer).text());
}

/** Chooses from an opening menu with the keyboard. Waits first until the menu has moved the focus into itself. */
async function chooseByKeys(menu, name) {
  await menu.and(menu.page().locator(":focus-within")).waitFor();
  const item = menu.getByRole("menuitem", { name, exact: true });
  for (let i = 0; i < 100 && !(await item.evaluate((e) => e === document.activeElement)); i++) await menu.page().keyboard.press("ArrowDown");
  await menu.page().keyboard.press("Enter");
}

test("a field is made, its options are put in order, renamed and removed", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/settings/fields");
    await heading(page, "Custom fields");
    await page.getByRole("link", { name: "Area" }).waitFor();
    await page.getByText("Customers", { exact: true }).click();
    await page.waitForURL(/of=customers/);
    await page.getByRole("button", { name: "New field" }).first().click();
    const making = page.getByRole("dialog", { name: "New customer field" });
    await making.getByLabel("Name").fill("Plan");
    const option = making.getByRole("textbox", { name: "New option" });
    for (const value of ["Small", "Large", "Trial"]) {
      await option.fill(value);
      await option.press("Enter");
    }
    await making.getByRole("button", { name: "Move Trial up" }).click();
    await accessible(page, "the form of a field");
    await making.getByRole("button", { name: "Create field" }).click();
    await page.getByRole("link", { name: "Plan" }).click();
    await heading(page, "Plan");
    const now = async () => (await desk.api("GET", "/custom-fields?entity_type=customer")).custom_fields.find((f) => f.name === "Plan");
    const made = await now();
    assert.equal(made.type, "select");
    assert.deepEqual(
      made.config.options.map((o) => o.value),
      ["Small", "Trial", "Large"],
    );

    await page.getByLabel("Option 1", { exact: true }).fill("Starter");
    await saving(page, "/custom-fields/", () => page.getByLabel("Option 1", { exact: true }).press("Enter"));
    await saving(page, "/custom-fields/", () => page.getByRole("button", { name: "Move Starter down" }).click());
    await page.getByRole("button", { name: "Remove Large" }).click();
    const asking = page.getByRole("dialog", { name: "Remove Large?" });
    await asking.getByText("It stays where it is already used").waitFor();
    await saving(page, "/custom-fields/", () => asking.getByRole("button", { name: "Remove option" }).click());
    await asking.waitFor({ state: "hidden" });
    // The order and the name are new, and the options are the same.
    await eventually(async () => assert.deepEqual((await now()).config.options, [made.config.options[1], { ...made.config.options[0], value: "Starter" }]));

    await page.getByRole("button", { name: "Delete field" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete field" }).click();
    await heading(page, "Custom fields");
    await page.getByRole("heading", { name: "No customer fields yet" }).waitFor();
    await eventually(async () => assert.equal(await now(), undefined));
  });
});

test("a form is built with the keyboard, and the preview and the API show the same", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/settings/forms");
    await heading(page, "Ticket forms");
    await page.getByRole("link", { name: "Something is not working" }).waitFor();
    const anew = page.getByRole("link", { name: "New form" });
    await anew.focus();
    await page.keyboard.press("Enter");
    await heading(page, "New ticket form");
    await page.getByLabel("Name", { exact: true }).focus();
    await page.keyboard.type("Broken hardware");

    const add = page.getByRole("button", { name: "Add field" });
    const fields = page.getByRole("list", { name: "Form fields" });
    for (const name of ["Priority", "Area"]) {
      await add.focus();
      await page.keyboard.press("Enter");
      await chooseByKeys(page.getByRole("menu"), name);
      await fields.getByRole("listitem", { name, exact: true }).waitFor();
    }
    // Another label for the field, and then it goes to the top, with the focus.
    const area = fields.getByLabel(/^Area · /);
    await area.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Which part");
    await page.keyboard.press("Control+ArrowUp");
    await page.keyboard.press("Control+ArrowUp");
    await fields
      .locator("li")
      .first()
      .and(fields.getByRole("listitem", { name: "Which part" }))
      .waitFor();
    await area.and(page.locator(":focus")).waitFor();
    const must = fields.getByRole("listitem", { name: "Which part" }).getByRole("checkbox", { name: "Required for requesters" });
    await must.focus();
    await page.keyboard.press("Space");
    const priority = fields.getByRole("listitem", { name: "Priority" }).getByRole("checkbox", { name: "Responders only" });
    await priority.focus();
    await page.keyboard.press("Space");

    // Requesters are not asked for a priority; responders are.
    const preview = page.getByRole("group", { name: "Preview", exact: true });
    const labels = () => preview.locator("label").evaluateAll((all) => all.map((l) => l.textContent.trim()));
    await preview.getByRole("heading", { name: "Broken hardware" }).waitFor();
    await preview.getByLabel("Priority").waitFor({ state: "hidden" });
    assert.deepEqual(await labels(), ["Which part *", "Title *", "Description *"]);
    await page.getByText("Responder view").click();
    await preview.getByLabel("Priority").first().waitFor();
    assert.deepEqual(await labels(), ["Which part", "Title", "Priority", "Description *"]);

    await page.getByRole("button", { name: "Create form" }).focus();
    await page.keyboard.press("Enter");
    await heading(page, "Broken hardware");
    const id = Number(page.url().match(/\d+$/)[0]);
    const now = async () => (await desk.api("GET", `/tickets/forms/${id}`)).ticket_form;
    const made = await now();
    assert.equal(made.enabled, true);
    assert.deepEqual(
      made.action_config.create.fields.map((f) => [f.label, f.audience, f.required_by_non_responder]),
      [
        ["Which part", "all", true],
        ["Title", "all", true],
        ["Priority", "responders", false],
      ],
    );

    // From now on it is saved as you go.
    await saving(page, "/tickets/forms/", () => page.getByRole("button", { name: "Move Title down" }).click());
    await saving(page, "/tickets/forms/", () => page.getByRole("switch", { name: "Enabled" }).click());
    await eventually(async () => {
      const changed = await now();
      assert.equal(changed.enabled, false);
      assert.deepEqual(
        changed.action_config.create.fields.map((f) => f.label),
        ["Which part", "Priority", "Title"],
      );
    });

    await page.getByRole("button", { name: "Delete form" }).click();
    const asking = page.getByRole("dialog", { name: "Delete Broken hardware?" });
    await asking.waitFor();
    await accessible(page, "the question before a form is deleted");
    await asking.getByRole("button", { name: "Delete form" }).click();
    await heading(page, "Ticket forms");
    await page.getByRole("link", { name: "Broken hardware" }).waitFor({ state: "hidden" });
    assert.ok((await now()).deleted_at);
    await page.goto(`/settings/forms/${id}`);
    await page.getByText("This form was deleted").waitFor();
  });
});

test("a schedule and a policy are made, and promise what they say", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/settings/schedules");
    await heading(page, "Schedules");
    await page.getByText("Monday to Friday 08:00–18:00").waitFor();
    await page.getByRole("button", { name: "New schedule" }).click();
    const making = page.getByRole("dialog", { name: "New schedule" });
    await making.getByLabel("Name").fill("Berlin");
    await making.getByRole("combobox", { name: "Time zone" }).fill("Europe/Berl");
    await page.getByRole("option", { name: "Europe/Berlin" }).click();
    await accessible(page, "the form of a schedule");
    await making.getByRole("button", { name: "Create schedule" }).click();
    await heading(page, "Berlin");
    const week = section(page, "Week");
    const day = (name) => week.getByRole("group", { name, exact: true });
    await day("Monday").getByLabel("Monday: to").fill("12:30");
    await saving(page, "/schedules/", () => day("Monday").getByLabel("Monday: to").press("Enter"));
    await day("Monday").getByRole("button", { name: "Add hours to Monday" }).click();
    await day("Monday").getByLabel("Monday, part 2: from").fill("13:30");
    await day("Monday").getByLabel("Monday, part 2: to").fill("17:00");
    await saving(page, "/schedules/", () => day("Monday").getByLabel("Monday, part 2: to").press("Enter"));
    await saving(page, "/schedules/", () => week.getByRole("button", { name: "Copy Monday’s hours to all weekdays" }).click());
    await saving(page, "/schedules/", () => day("Friday").getByRole("checkbox", { name: "Friday" }).click());
    const holidays = section(page, "Holidays");
    await holidays.getByLabel("Date", { exact: true }).fill("2031-12-25");
    await holidays.getByLabel("Holiday name").fill("Christmas Day");
    await holidays.getByRole("button", { name: "Add holiday" }).click();
    await holidays.getByText("25 December 2031").waitFor();
    const split = [
      { from: "09:00", to: "12:30" },
      { from: "13:30", to: "17:00" },
    ];
    const made = await eventually(async () => {
      const berlin = (await desk.api("GET", "/schedules")).schedules.find((s) => s.name === "Berlin");
      assert.equal(berlin.time_zone, "Europe/Berlin");
      assert.deepEqual(berlin.hours, { monday: split, tuesday: split, wednesday: split, thursday: split, friday: [], saturday: [], sunday: [] });
      assert.deepEqual(berlin.holidays, [{ date: "2031-12-25", name: "Christmas Day", hours: [] }]);
      return berlin;
    });

    await page.goto("/settings/sla");
    await heading(page, "SLA policies");
    await page.getByText("First response within 30 minutes of working hours (Office hours) for urgent and high requests.").waitFor();
    await page.getByRole("button", { name: "New policy" }).click();
    const policy = page.getByRole("dialog", { name: "New policy" });
    await policy.getByLabel("Name").fill("Fires");
    await policy.getByLabel("Within").fill("15");
    await choose(page, policy.getByRole("combobox", { name: "Unit of time" }), "minutes");
    await choose(page, policy.getByRole("combobox", { name: "Working hours" }), "Berlin");
    await policy.getByRole("checkbox", { name: "Urgent" }).click();
    await policy.getByText("First response within 15 minutes of working hours (Berlin) for urgent requests.").waitFor();
    await accessibleInBoth(page, "the form of a policy");
    await policy.getByRole("button", { name: "Create policy" }).click();
    await policy.waitFor({ state: "hidden" });
    const rows = page.getByRole("list", { name: "First response" }).getByRole("listitem");
    await rows.nth(2).filter({ hasText: "Fires" }).waitFor();

    // A new policy is last. Moved up, it comes before the general one.
    await saving(page, "/sla-policies/", () => page.getByRole("button", { name: "Move Fires up" }).click());
    await rows.nth(1).filter({ hasText: "Fires" }).waitFor();
    await page.getByRole("button", { name: "Edit Fires" }).click();
    await page.waitForURL(/policy=\d+/);
    const changing = page.getByRole("dialog", { name: "Edit policy" });
    await changing.getByLabel("Within").fill("20");
    await changing.getByRole("button", { name: "Save" }).click();
    await changing.waitFor({ state: "hidden" });
    await page.getByText("First response within 20 minutes of working hours (Berlin) for urgent requests.").waitFor();

    await eventually(async () => {
      const policies = (await desk.api("GET", "/sla-policies")).sla_policies.filter((p) => p.kind === "first_response").sort((a, b) => a.position - b.position);
      assert.deepEqual(
        policies.map((p) => p.name),
        ["Urgent: first response within 30 minutes", "Fires", "First response within two hours"],
      );
      assert.deepEqual([policies[1].target_minutes, policies[1].schedule_id, policies[1].conditions], [20, made.id, { priorities: ["urgent"] }]);
    });
  });
});

test("who may not change them sees them without controls", async () => {
  await withPage(
    { ...desk, email: "priya@acme.test" },
    async (page) => {
      await page.goto("/settings/forms");
      await page.getByRole("link", { name: "Something is not working" }).click();
      await heading(page, "Something is not working");
      await page.getByRole("group", { name: "Preview", exact: true }).getByLabel("Title").waitFor();
      assert.equal(await page.getByRole("button", { name: "Delete form" }).count(), 0);
      await page.goto("/settings/fields/1");
      await heading(page, "Area");
      await page.getByText("Access, Billing, Data").waitFor();
      await page.goto("/settings/schedules/1");
      await page.getByText("08:00–18:00").first().waitFor();
      await page.goto("/settings/sla");
      await page.getByText("Solved with at most 2 replies for all requests.").waitFor();
      assert.equal(await page.getByRole("switch").count(), 0);
      assert.equal(await page.getByRole("button", { name: "New policy" }).count(), 0);
    },
    { viewport: { width: 390, height: 844 } },
  );
});
