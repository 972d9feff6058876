// Collections in the settings: made, given channels and people, asked how it went.
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

/** Opens a list of choices and takes one. */
async function choose(page, box, option) {
  await box.click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** The part of a page with this heading. */
const section = (page, title) => page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: title, exact: true }) });

test("a collection is made, gets a channel and responders, and asks how it went", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/settings/collections");
    await heading(page, "Collections");
    await page.getByRole("link", { name: "Customer channels" }).waitFor();

    await page.getByRole("button", { name: "New collection" }).click();
    const making = page.getByRole("dialog", { name: "New collection" });
    await making.getByLabel("Name").fill("Partners");
    await accessible(page, "the form of a collection");
    await making.getByRole("button", { name: "Create collection" }).click();
    await heading(page, "Partners");
    await page.waitForURL(/\/settings\/collections\/\d+$/);
    const id = Number(page.url().match(/\d+$/)[0]);
    const now = async () => (await desk.api("GET", `/collections/${id}?include=channels`)).collection;
    assert.equal((await now()).kind, "chat");

    // Channels that serve for something else are not offered.
    await page.getByRole("button", { name: "Add channels" }).click();
    const adding = page.getByRole("dialog", { name: "Add channels to Partners" });
    await adding.getByRole("combobox", { name: "Channels" }).click();
    await page.getByRole("option", { name: "#general", exact: true }).click();
    assert.equal(await page.getByRole("option", { name: "#support-triage", exact: true }).count(), 0);
    await page.keyboard.press("Escape"); // the list alone: the dialog stays
    await page.getByRole("option", { name: "#general", exact: true }).waitFor({ state: "hidden" });
    await accessible(page, "the form for channels");
    await adding.getByRole("button", { name: "Add", exact: true }).click();
    const channels = page.getByRole("list", { name: "Channels" });
    await channels.getByText("#general", { exact: true }).waitFor();
    assert.deepEqual(
      (await now()).channels.map((c) => [c.name, c.status]),
      [["general", "active"]],
    );

    await choose(page, page.getByRole("combobox", { name: "Triage channel" }), "#support-triage");
    await section(page, "Channels").getByText("Saved").waitFor();
    const responders = section(page, "Responders");
    await responders.getByText("Email domain", { exact: true }).click();
    await responders.getByRole("textbox", { name: "Email domain" }).fill("@Acme.test");
    await responders.getByRole("button", { name: "Add" }).click();
    await responders.getByText("Everyone at acme.test").waitFor();

    // What follows from a survey is shown once the survey is saved.
    const csat = section(page, "Satisfaction (CSAT)");
    await csat.getByRole("switch", { name: "Send surveys" }).click();
    await choose(page, csat.getByRole("combobox", { name: "Rating" }), "Thumbs up or down");
    await csat.getByText("Saved").nth(1).waitFor();
    const delay = csat.getByLabel("Delay (minutes)");
    await delay.fill("30");
    await delay.press("Enter");
    await csat.getByText("Saved").nth(2).waitFor();

    // An emoji does one thing: the second is refused with a sentence, before it is sent.
    const urgent = page.getByRole("combobox", { name: "Urgent", exact: true });
    await urgent.fill("white_check_mark");
    await urgent.press("Enter");
    await page.getByText("That emoji is already used for “Solve”.").waitFor();
    await urgent.fill(":fire:");
    await urgent.press("Enter");
    await section(page, "Emoji").getByText("Saved").waitFor();

    const made = await now();
    assert.deepEqual(made.config.responders, [{ email_domain: "acme.test" }]);
    assert.deepEqual(made.csat_config, { enabled: true, trigger: "solved", scope: "all", survey_type: "two_point_rating", comment: true, delay_minutes: 30 });
    assert.deepEqual(made.emoji_config.urgent, ["rotating_light", "fire"]);
    assert.ok(made.triage_channel_id);

    await channels.getByRole("button", { name: "Remove #general" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove channel" }).click();
    await channels.getByText("Inactive").waitFor();
    assert.equal((await now()).channels[0].status, "inactive");

    await page.getByRole("button", { name: "Delete collection" }).click();
    const asking = page.getByRole("dialog", { name: "Delete Partners?" });
    await asking.waitFor();
    await accessible(page, "the question before a collection is deleted");
    await asking.getByRole("button", { name: "Delete collection" }).click();
    await heading(page, "Collections");
    await page.getByRole("link", { name: "Customer channels" }).waitFor();
    await page.getByRole("link", { name: "Partners" }).waitFor({ state: "hidden" });
  });
});

test("all screens read one list of collections", async () => {
  await withPage(desk, async (page) => {
    const reads = [];
    page.on("request", (r) => r.method() === "GET" && new URL(r.url()).pathname === "/v1/rest/collections" && reads.push(r.url()));
    const go = (name) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
    await page.goto("/settings/collections");
    await page.getByRole("link", { name: "Customer channels" }).waitFor();
    await go("Insights");
    await page.getByRole("combobox", { name: "Collection" }).click();
    await page.getByRole("option", { name: "Customer channels" }).waitFor();
    await page.keyboard.press("Escape");
    await go("Customers");
    await page.getByRole("button", { name: "New customer" }).first().click();
    await page.getByRole("dialog").getByRole("combobox", { name: "Collection" }).click();
    await page.getByRole("option", { name: "Customer channels" }).waitFor();
    assert.deepEqual(reads.length, 1, reads.join(" "));
  });
});

test("who may not change a collection sees how it is set, and mutes it for themselves", async () => {
  await withPage(
    { ...desk, email: "maya@acme.test" },
    async (page) => {
      await page.goto("/settings/collections");
      await page.getByRole("link", { name: "Customer channels" }).click();
      await heading(page, "Customer channels");
      await page.getByText("Everyone at acme.test").waitFor();
      assert.equal(await page.getByRole("button", { name: "Delete collection" }).count(), 0);
      assert.equal(await page.getByRole("combobox").count(), 0);
      await page.getByRole("switch", { name: "Mute" }).click();
      await page.getByText("Saved").waitFor();
      await page.reload();
      await page.getByRole("switch", { name: "Mute" }).and(page.locator(":checked")).waitFor({ state: "attached" });
      await accessible(page, "a collection for an agent");
    },
    { viewport: { width: 390, height: 844 } },
  );
});

test("a collection that keeps messages for a time shows what goes, asks, and deletes it", async () => {
  const { account } = await desk.api("GET", "/account");
  const { collection } = await desk.api("POST", "/collections", { name: "Archive", kind: "api" });
  await desk.api("PATCH", "/account", { api_collection_id: collection.id }); // imported requests go there
  const old = { requester: { email: "ines@harborpine.example" }, state: "solved", created_at: "2024-05-13T08:00:00Z", solved_at: "2024-05-13T09:00:00Z" };
  const says = (text) => ({ text, author: { email: "ines@harborpine.example" }, is_responder: false, created_at: "2024-05-13T08:00:00Z" });
  const { requests: made } = await desk.api("POST", "/requests/batch", { requests: [{ ...old, external_id: "old-1", title: "Door", messages: [says("The blue door sticks."), says("Still.")] }] });
  await desk.api("PATCH", "/account", { api_collection_id: account.api_collection_id });
  const id = made[0].id;
  await withPage(desk, async (page) => {
    await page.goto(`/settings/collections/${collection.id}`);
    await heading(page, "Archive");
    const part = section(page, "Retention");
    const save = part.getByRole("button", { name: "Save retention" });
    await part.getByText("Messages and files are kept forever.").waitFor();
    assert.ok(await save.isDisabled());
    await part.getByLabel("Delete files after (days)").fill("30");
    await part.getByText("Today this deletes nothing.").waitFor();
    await part.getByLabel("Delete messages after (days)").fill("20");
    await part.getByText("Files cannot be kept for longer than messages.").waitFor();
    assert.ok(await save.isDisabled());
    await part.getByLabel("Delete messages after (days)").fill("36");
    const sentence = "Today this deletes 2 messages in 1 request. It cannot be undone.";
    await part.getByText(sentence).waitFor();
    await accessibleInBoth(page, "a retention");

    await save.click();
    const asking = page.getByRole("dialog", { name: "Delete older messages and files?" });
    await asking.getByText(sentence).waitFor();
    await accessible(page, "the question before messages are deleted");
    await asking.getByRole("button", { name: "Cancel" }).click();
    await asking.waitFor({ state: "hidden" });
    assert.equal((await desk.api("GET", `/collections/${collection.id}`)).collection.retention, undefined);
    await save.click();
    await asking.getByRole("button", { name: "Save and delete" }).click();
    await asking.waitFor({ state: "hidden" });
    assert.deepEqual((await desk.api("GET", `/collections/${collection.id}`)).collection.retention, { messages_days: 36, files_days: 30 });

    await page.goto(`/requests/${id}`);
    await page.getByText("This text was deleted after 36 days.").first().waitFor();
    assert.equal(await page.getByText("The blue door sticks.").count(), 0);

    // To keep everything again asks nothing.
    await page.goto(`/settings/collections/${collection.id}`);
    await part.getByLabel("Delete messages after (days)").fill("");
    await part.getByLabel("Delete files after (days)").fill("");
    await part.getByText("Messages and files are kept forever.").waitFor();
    await save.click();
    await page.getByText("Retention saved.").waitFor();
    assert.ok(await save.isDisabled());
    assert.equal((await desk.api("GET", `/collections/${collection.id}`)).collection.retention, undefined);
  });
});
