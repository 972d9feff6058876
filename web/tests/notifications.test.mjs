// What one is told: the bell, the tab, the way to the message, and how it goes elsewhere.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, launch, until, withPage } from "./browser.mjs";
import { enter } from "./people.mjs";

let desk;
let asTomas;
let me;
before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
  asTomas = await enter(desk, "tomas@acme.test");
  // What the demo itself brings.
  const { newest } = (await desk.api("GET", "/notifications/count")).count;
  if (newest) await desk.api("POST", "/notifications/read", { up_to: newest.id });
  me = (await desk.api("GET", "/me")).me;
});
after(async () => {
  await close();
  await desk?.stop();
});

const bell = (page, unread) => page.getByRole("button", { name: unread === 0 ? /^Notifications$/ : `Notifications: ${unread} unread` });
const panel = (page) => page.getByRole("dialog", { name: "Notifications" });

/** A request that nobody was told of. */
async function requestOf(title) {
  const { request } = await desk.api("POST", "/requests", { title, description: "<p>It is stuck.</p>", requester_email: "ines@harborpine.test" });
  return Number(request.id);
}

test("a colleague names and assigns somebody, who is told and led to the message", async () => {
  await withPage(desk, async (mira) => {
    const id = await requestOf("The gate is stuck");
    await mira.goto("/customers");
    await bell(mira, 0).waitFor();
    assert.equal(await mira.title(), "Frontdesk");

    const { message } = await asTomas("POST", `/requests/${id}/message`, { html_body: `<p><span data-user="${me.user.id}">@${me.user.name}</span> <b>can</b> you look?</p>`, is_private: true });
    await bell(mira, 1).waitFor();
    await asTomas("PATCH", `/requests/${id}`, { assignee: me.user.id });
    await bell(mira, 2).waitFor();
    await until("the title counts", async () => (await mira.title()) === "(2) Frontdesk");
    assert.equal(await mira.locator('link[rel="icon"]').getAttribute("href"), "/icon-unread.svg");

    // Tomás did all that, and is told nothing of it.
    assert.deepEqual(
      (await asTomas("GET", "/notifications")).notifications.filter((n) => n.request.id === id),
      [],
    );

    // The keys open the panel. What is of one request stands together.
    await mira.keyboard.press("g");
    await mira.keyboard.press("n");
    await panel(mira).getByText("assigned you this request").waitFor();
    assert.equal(await panel(mira).getByRole("list", { name: "Notifications" }).getByRole("listitem").count(), 1);
    await panel(mira)
      .getByRole("link", { name: /mentioned you in a note/ })
      .click();
    await panel(mira).waitFor({ state: "detached" });
    await mira.getByRole("heading", { level: 1, name: "The gate is stuck" }).waitFor();
    await until("the message has the focus", () => mira.evaluate((id) => document.activeElement?.id === id, `message-${message.id}`));
    await bell(mira, 0).waitFor();
    await until("the title is as before", async () => (await mira.title()) === "Frontdesk");

    // Who looks at it is not told of it; who has gone on is.
    await asTomas("POST", `/requests/${id}/message`, { html_body: `<p><span data-user="${me.user.id}">@${me.user.name}</span> thank you.</p>`, is_private: true });
    await mira.getByRole("log", { name: "Conversation" }).getByText("thank you.").waitFor();
    const other = await requestOf("The window is open");
    await asTomas("PATCH", `/requests/${other}`, { assignee: me.user.id });
    await bell(mira, 1).waitFor(); // the jobs run in order, so nothing else comes
    assert.equal((await desk.api("GET", "/notifications?unread=true")).notifications.length, 1);

    // Reading a request reads what one was told of it.
    await mira.goto(`/requests/${other}`);
    await bell(mira, 0).waitFor();
  });
});

/** A browser that shows notifications when it is asked for them, and keeps what it shows. */
const showing = () => {
  window.shown = [];
  window.asked = 0;
  window.Notification = class {
    static permission = "default";
    static requestPermission() {
      window.asked++;
      return Promise.resolve((this.permission = "granted"));
    }
    constructor(title, { body }) {
      window.shown.push(`${title}: ${body}`);
    }
  };
};

test("all are marked as read at once, and the browser shows what comes while nobody looks", async () => {
  await withPage(desk, async (mira) => {
    await mira.addInitScript(showing);
    await mira.goto("/customers");
    await bell(mira, 0).waitFor();
    const ids = [await requestOf("One"), await requestOf("Two")];
    for (const id of ids) await asTomas("PATCH", `/requests/${id}`, { assignee: me.user.id });
    await bell(mira, 2).click();
    const question = panel(mira).getByText("Turn on browser notifications?"); // some were opened before
    await question.waitFor();
    assert.equal(await mira.evaluate(() => window.asked), 0, "the browser was asked unasked");
    await panel(mira).getByRole("button", { name: "Turn on" }).click();
    await question.waitFor({ state: "detached" });
    await panel(mira).getByRole("button", { name: "Mark all as read" }).click();
    await panel(mira).getByRole("img", { name: "Unread" }).first().waitFor({ state: "detached" });
    await mira.keyboard.press("Escape");
    await bell(mira, 0).waitFor();

    await asTomas("PATCH", `/requests/${await requestOf("Three")}`, { assignee: me.user.id });
    await bell(mira, 1).waitFor();
    await mira.evaluate(() => Object.defineProperty(document, "visibilityState", { value: "hidden" }));
    await asTomas("PATCH", `/requests/${await requestOf("Four")}`, { assignee: me.user.id });
    await bell(mira, 2).waitFor();
    assert.deepEqual(await mira.evaluate(() => window.shown), ["Tomás Herrera assigned you this request: Four"]);
  });
});

test("preferences are the same in another browser, with ways and quiet hours", async () => {
  const likes = async () => (await desk.api("GET", "/me/preferences")).preferences;
  await withPage(desk, async (page) => {
    await page.goto("/settings/notifications");
    const saved = page.getByRole("status").getByText("Saved");
    const mentions = page.getByRole("checkbox", { name: "Mentions: Chat" });
    await mentions.check();
    await saved.waitFor();
    await page.getByRole("checkbox", { name: "Assigned to your team: Here" }).check();
    await page.getByRole("switch", { name: "Send nothing during quiet hours" }).click();
    await page.getByLabel("From").fill("21:30");
    await page.getByLabel("From").blur();
    await until("it is saved", async () => (await likes()).quiet_hours?.start === "21:30");
    const is = await likes();
    assert.deepEqual([is.notify.mention, is.notify.team_assigned.app, is.quiet_hours.end], [{ app: true, chat: true, email: false }, true, "07:00"]);
    await accessible(page, "the settings of notifications");
    // Without the bell there is no way.
    await page.getByRole("checkbox", { name: "Mentions: Here" }).uncheck();
    await until("it is off", async () => !(await mentions.isChecked()) && (await mentions.isDisabled()));
    await page.getByRole("checkbox", { name: "Mentions: Here" }).check();

    await page.getByRole("button", { name: "Test by chat" }).click();
    await page.getByText("A test is on its way to your direct messages.").waitFor();
    await page.goto("/settings/preferences");
    await page.getByText("Compact", { exact: true }).click();
    await until("it is saved", async () => (await likes()).density === "compact");
  });
  await withPage(desk, async (page) => {
    await page.goto("/settings/preferences");
    await until("it is the same here", () => page.getByRole("radio", { name: "Compact" }).isChecked());
  });
});
