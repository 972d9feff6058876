// A message of the team's channel is announced to two customers; what arrives and
// what they make of it is seen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, launch, until, withPage } from "./browser.mjs";

let desk;

before(async () => {
  desk = await startDemo();
  await launch();
});

after(async () => {
  await close();
  await desk?.stop();
});

/** The sandbox as one of its people. */
async function actAs(name) {
  const { sandbox } = await desk.api("GET", "/sandbox");
  const user = sandbox.users.find((u) => u.name.startsWith(name));
  const { token } = await desk.api("POST", "/sandbox/token", { user_id: user.id });
  return async (method, args) => {
    const response = await fetch(`${desk.url}/sandbox/api/${method}`, { method: "POST", headers: { Authorization: `Bearer ${token.secret}` }, body: new URLSearchParams(args) });
    const said = await response.json();
    assert.ok(said.ok, `${method}: ${said.error}`);
    return said;
  };
}

/** Presses a button until something is seen: what it asks for arrives in its own time. */
async function pressUntil(button, seen) {
  await seen.or(button).first().waitFor();
  for (const begun = Date.now(); !(await seen.isVisible());) {
    assert.ok(Date.now() - begun < 300_000, "it has not come");
    await button.click();
  }
}

test("an announcement goes to two channels, and a reaction is counted", async () => {
  const mira = await actAs("Mira");
  const channels = (await mira("conversations.list", { types: "public_channel,private_channel", limit: "1000" })).channels;
  const releases = channels.find((c) => c.name === "releases").id;
  const { ts } = await mira("chat.postMessage", { channel: releases, text: "*Labels* print twice as fast from Monday on" });
  const { permalink } = await mira("chat.getPermalink", { channel: releases, message_ts: ts });

  const known = async () => (await desk.api("GET", "/channels?limit=100")).channels.some((c) => c.id === releases && c.is_member);
  await until("Frontdesk knows that its bot is in #releases", known);

  await withPage(desk, async (page) => {
    await page.goto("/announcements");
    await page.getByRole("table").waitFor();
    // When the channels are read for the first time, our bot is not in that one.
    const early = async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      await route.fulfill({ response, json: { ...answer, channels: answer.channels.filter((c) => c.id !== releases) } });
    };
    await page.route(/\/v1\/rest\/channels\?/, early, { times: 1 });
    const read = page.waitForResponse(/\/v1\/rest\/channels\?/);
    await page.getByRole("button", { name: "New announcement" }).click();
    await (await read).finished();

    // Picked from the channel, or by its link: the same.
    await page.getByText("Pick from a channel").click();
    await page.getByRole("combobox", { name: "Channel" }).click();
    await page.getByRole("option", { name: "#releases" }).click();
    await page.getByRole("button", { name: /print twice as fast/ }).click();
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("Labels").waitFor();
    await page.getByText("Paste a link").click();
    await preview.getByText("No message yet").waitFor();
    await page.getByLabel("Message link").fill(permalink);
    await preview.locator("strong").getByText("Labels").waitFor();
    const name = page.getByLabel("Name", { exact: true });
    assert.equal(await name.inputValue(), "Labels print twice as fast from Monday on");
    await name.fill("Faster labels");

    const to = page.getByRole("combobox", { name: "To" });
    await to.click();
    await page.getByRole("option", { name: "Customer channels" }).click();
    await page.getByText("Will be sent to 2 channels.").waitFor();
    await page.getByRole("option", { name: "#harbor-and-pine" }).click();
    await page.getByText("Will be sent to 2 channels.").waitFor(); // a channel that is named twice gets one copy
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Send…" }).click();
    const question = page.getByRole("dialog");
    await question.getByText("“Faster labels” will be sent now to 2 channels as Frontdesk.").waitFor();
    await accessible(page, "the question before sending");
    await question.getByRole("button", { name: "Send to 2 channels" }).click();

    // It arrives, and is seen to.
    await page.getByRole("heading", { level: 1, name: "Faster labels" }).waitFor();
    const harbor = page.getByRole("row", { name: /#harbor-and-pine/ });
    await harbor.getByText("Delivered").waitFor();
    await page
      .getByRole("row", { name: /#fernhill-labs/ })
      .getByText("Delivered")
      .waitFor();
    await page.getByRole("region", { name: "Sent message" }).locator("strong").getByText("Labels").waitFor();
    await page.getByText("Channels reached").waitFor();
    const id = Number(new URL(page.url()).pathname.split("/").pop());

    // A customer likes it, and another asks for something in its thread.
    const { announcement } = await desk.api("GET", `/announcements/${id}`);
    const copy = announcement.recipients.find((r) => r.channel_id === channels.find((c) => c.name === "harbor-and-pine").id);
    const ines = await actAs("Ines");
    await ines("reactions.add", { channel: copy.channel_id, timestamp: copy.message_ts, name: "tada" });
    await ines("chat.postMessage", { channel: copy.channel_id, thread_ts: copy.message_ts, text: "Can you switch that on for our second warehouse, too?" });
    const again = page.getByRole("button", { name: "Refresh" });
    await pressUntil(again, harbor.getByText("🎉"));
    await pressUntil(again, harbor.getByRole("link", { name: "Open request" }));

    // The copies follow the message.
    await mira("chat.update", { channel: releases, ts, text: "Labels print *three times* as fast from Monday on" });
    await page.getByRole("button", { name: "Update copies" }).click();
    await page.getByText("The copies are being updated.").waitFor();
  });
});

test("one that is written here is previewed in two channels, tested, sent and changed, under the same name in chat and app", async () => {
  const priya = await actAs("Priya");
  const channels = (await priya("conversations.list", { types: "public_channel,private_channel,im", limit: "1000" })).channels;
  const fern = channels.find((c) => c.name === "fernhill-labs").id;
  const admin = (await desk.api("GET", "/me")).me.member;
  const { sandbox } = await desk.api("GET", "/sandbox");
  const mine = sandbox.users.find((u) => u.email === admin.email);
  assert.ok(mine, "the admin is in the sandbox");

  await withPage(desk, async (page) => {
    await page.goto("/announcements/new");
    const text = page.getByRole("textbox", { name: "Message", exact: true });
    await text.click();
    await page.keyboard.type("Dear ");
    await page.getByRole("button", { name: "{customer|all}" }).click();
    await page.keyboard.type(", labels are faster. Yours {sender}");
    await page.getByText("Choose recipients to see").waitFor();
    const to = page.getByRole("combobox", { name: "To" });
    await to.click();
    await page.getByRole("option", { name: "#harbor-and-pine" }).click();
    await page.getByRole("option", { name: "#fernhill-labs" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Sent as" }).click();
    await page.getByRole("option", { name: "A team member" }).click();
    await page.getByRole("combobox", { name: "Person" }).click();
    await page.getByRole("option", { name: /Mira/ }).click();

    // What was begun is there after a reload.
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("Dear Harbor & Pine, labels are faster. Yours Mira").waitFor();
    await page.reload();
    await preview.getByText("Dear Harbor & Pine, labels are faster. Yours Mira").waitFor();
    await preview.getByRole("button", { name: "Next channel" }).click();
    await preview.getByText("Dear Fernhill Labs, labels are faster. Yours Mira").waitFor();
    await accessible(page, "an announcement that is written here");

    await preview.getByRole("button", { name: "Send me a test" }).click();
    await page.getByText("The test is on its way").waitFor();
    const me = await actAs(mine.name);
    const tests = async () => {
      const { channels: direct } = await me("conversations.list", { types: "im" });
      const all = await Promise.all(direct.map((c) => me("conversations.history", { channel: c.id })));
      return all.flatMap((h) => h.messages).filter((m) => m.text.startsWith("Dear Fernhill Labs, labels"));
    };
    const test = await until("the test arrives", async () => (await tests())[0]);
    assert.match(test.username, /^Mira/);
    assert.equal((await desk.api("GET", "/announcements?limit=1")).announcements[0]?.name === "Dear all labels are faster Yours", false);

    await page.getByLabel("Name", { exact: true }).fill("Written here");
    await page.getByRole("button", { name: "Send…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send to 2 channels" }).click();
    await page.getByRole("heading", { level: 1, name: "Written here" }).waitFor();
    const sent = page.getByRole("region", { name: "Sent message" });
    await sent.getByText("Dear Harbor & Pine").waitFor();
    const copy = (await priya("conversations.history", { channel: fern, limit: "1" })).messages[0];
    assert.equal(copy.text, `Dear Fernhill Labs, labels are faster. Yours ${copy.username}`);
    await sent.getByText(copy.username, { exact: true }).waitFor();
    await accessible(page, "an announcement that was written here");

    // A slip is mended everywhere, and what was begun is gone.
    await page.getByRole("button", { name: "Edit text" }).click();
    const edited = page.getByRole("dialog").getByRole("textbox", { name: "Message", exact: true });
    await edited.fill("{customer|all}: twice as fast");
    await page.getByRole("dialog").getByRole("button", { name: "Update copies" }).click();
    await until("the copy is mended", async () => (await priya("conversations.history", { channel: fern, limit: "1" })).messages[0].text === "Fernhill Labs: twice as fast");
    await page.goto("/announcements/new");
    await page.getByText("Write something to see").waitFor();
  });
});

test("one that is scheduled can be cancelled, in the dark too", async () => {
  const { channels } = await desk.api("GET", "/channels?limit=100");
  const source = (await desk.api("GET", `/announcements/messages?channel_id=${channels.find((c) => c.name === "releases").id}`)).messages[0];
  const { announcement } = await desk.api("POST", "/announcements", {
    channel_id: source.channel_id,
    message_ts: source.ts,
    name: "For next year",
    recipients: [{ type: "channel", id: channels.find((c) => c.name === "fernhill-labs").id }],
    action: "schedule",
    scheduled_time: new Date(Date.now() + 300 * 24 * 3600 * 1000).toISOString(),
  });
  await withPage(
    desk,
    async (page) => {
      await page.goto(`/announcements/${announcement.id}`);
      await page.getByRole("cell", { name: "Scheduled" }).waitFor();
      await accessible(page, "a scheduled announcement in the dark");
      await page.getByRole("button", { name: "Cancel announcement" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel announcement" }).click();
      await page.getByRole("heading", { level: 1, name: "Announcements" }).waitFor();
      await page.getByRole("table").waitFor();
      await page.getByRole("link", { name: "For next year" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "New announcement" }).click();
      await page.getByText("Paste a link").click();
      await page.getByLabel("Message link").waitFor();
    },
    { colorScheme: "dark" },
  );
});
