// The request: its whole life between a customer's chat and the inbox, what is
// written and taken back, and that the panel says what the API says.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, accessibleInBoth, close, hold, kept, launch, openInbox, signIn, slowDown, until, withBrowser, withPage } from "./browser.mjs";

let desk;

before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});

after(async () => {
  await close();
  await desk?.stop();
});

/** A page whose reader has so many seconds to take a message back. */
const on = (undoSeconds, run, options) =>
  withPage(
    desk,
    async (page, context) => {
      await page.addInitScript((seconds) => localStorage.setItem("frontdesk.preferences", JSON.stringify({ undoSeconds: seconds })), undoSeconds);
      await run(page, context);
    },
    options,
  );

const read = async (id) => (await desk.api("GET", `/requests/${id}?include=messages,parent_child_requests`)).request;

/** A request that is made by the API, and thus stands in a channel and has a ticket. */
async function made(title, description = `<p>${title}, said a customer.</p>`) {
  const { request } = await desk.api("POST", "/requests", { title, description, requester_email: "ines@harborpine.test" });
  return Number(request.id);
}

/** Somebody in the sandbox, who speaks its Slack API. */
async function member(email) {
  const { sandbox } = await desk.api("GET", "/sandbox");
  const user = sandbox.users.find((u) => u.email === email);
  const { token } = await desk.api("POST", "/sandbox/token", { user_id: user.id });
  return async (method, args) => {
    const response = await fetch(`${desk.url}/sandbox/api/${method}`, { method: "POST", headers: { Authorization: `Bearer ${token.secret}` }, body: new URLSearchParams(args) });
    const said = await response.json();
    assert.ok(said.ok, `${method}: ${JSON.stringify(said)}`);
    return said;
  };
}

const editor = (page, name = "Reply") => page.getByRole("textbox", { name, exact: true });
const log = (page) => page.getByRole("log", { name: "Conversation" });
const menu = async (page, item) => {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

/** Writes with the keys that an agent uses, beginning outside of any text. */
async function write(page, text, { note = false, send = true } = {}) {
  await log(page).focus();
  await page.keyboard.press(note ? "n" : "r");
  const box = editor(page, note ? "Internal note" : "Reply");
  await page.waitForFunction((e) => e === document.activeElement, await box.elementHandle());
  await page.keyboard.insertText(text);
  if (send) await page.keyboard.press("ControlOrMeta+Enter");
}

test("the whole life of a request, between the customer's chat and the inbox", async () => {
  const oskar = await member("oskar@harborpine.test");
  const { collections } = await desk.api("GET", "/collections?include=channels");
  const channel = collections.flatMap((c) => c.channels).find((c) => c.name === "harbor-and-pine").id;
  await on(0, async (page) => {
    await openInbox(page);
    await page.getByText("Roastery scale does not sync with stock").first().waitFor();

    // A customer asks, and whoever looks at the inbox is told.
    const asked = "The dock door sensor reports every pallet twice since this morning. Can you help?";
    const { ts } = await oskar("chat.postMessage", { channel, text: asked });
    await page.getByRole("button", { name: /^\d+ new$/ }).click();
    await page.getByText("The dock door sensor reports every pallet twice").first().click();
    await page.getByRole("heading", { level: 1, name: /dock door sensor/ }).waitFor();
    const { id } = (await desk.api("GET", new URL(page.url()).pathname)).request;
    await log(page).getByText("Can you help?").waitFor();
    await page.getByText("to #harbor-and-pine and Oskar", { exact: false }).waitFor();

    // An answer from here arrives in the thread there.
    const thread = async () => (await oskar("conversations.replies", { channel, ts, limit: "100" })).messages;
    const inThread = (text) => until(`"${text}" in the thread`, async () => (await thread()).find((m) => JSON.stringify(m).includes(text)));
    await write(page, "We are looking at the sensor now.");
    await log(page).getByText("We are looking at the sensor now.").waitFor();
    await inThread("We are looking at the sensor now.");

    // The customer's next words come in by themselves.
    await oskar("chat.postMessage", { channel, thread_ts: ts, text: "It is the door on the north side." });
    await log(page).getByText("It is the door on the north side.").waitFor();
    // What comes while nobody looks is read when they are back.
    const look = (state) =>
      page.evaluate((state) => {
        Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await look("hidden");
    await oskar("chat.postMessage", { channel, thread_ts: ts, text: "And now the one beside it." });
    const unread = page.locator(`li[data-id="${id}"][data-unread]`);
    await unread.waitFor();
    await look("visible");
    await unread.waitFor({ state: "detached" });
    await until("it is read", async () => (await read(id)).unread === false);

    // A note looks like one, and stays here.
    await write(page, "Likely the firmware of last night.", { note: true });
    await page.getByRole("article", { name: "Internal note", exact: true }).getByText("Likely the firmware of last night.").waitFor();
    assert.equal((await read(id)).messages.find((m) => m.text.includes("firmware")).is_private, true);

    // Answered and solved in one step.
    await write(page, "The sensor counts once again.", { send: false });
    await page.getByRole("button", { name: "Send and set state" }).click();
    await page.getByRole("menuitem", { name: "Send and set to Solved" }).click();
    await inThread("The sensor counts once again.");
    assert.ok(!(await thread()).some((m) => JSON.stringify(m).includes("firmware")), "the note is in the customer's thread");
    await until("the request solved", async () => (await read(id)).state === "solved");
    const panel = page.getByRole("complementary", { name: "Properties" });
    await panel.getByRole("button", { name: "State: Solved" }).waitFor();

    // What the customer thinks of it comes back.
    await panel.getByText("Survey sent, no answer yet").waitFor();
    const survey = JSON.stringify(await inThread("/survey/")).match(/https?:[^"|>\\\s]*\/survey\/[A-Za-z0-9_-]+/)[0];
    const answered = await fetch(survey, { method: "POST", body: new URLSearchParams({ value: "5", comment: "Quick and kind" }) });
    assert.ok(answered.ok, `the survey: ${answered.status}`);
    await panel.getByText("5 of 5").waitFor();
    await panel.getByText("Quick and kind").waitFor();
  });
});

test("a message is taken back before it is sent, drafts outlive the page, and files say how far they are", async () => {
  const id = await made("The gate opens by itself");
  await on(60, async (page) => {
    await page.goto(`/requests/${id}`);
    await editor(page).waitFor();

    // A draft is there again after a reload, and so is who would read it.
    await write(page, "Half a thought", { note: true, send: false });
    await until("the draft kept", async () => (await kept(page, `.draft.${id}`))?.includes("Half a thought"));
    await page.reload();
    await editor(page, "Internal note").getByText("Half a thought").waitFor();
    await page.getByText("Only your team sees this").first().waitFor();
    await page.getByRole("button", { name: "Add note" }).waitFor();
    await page.getByRole("radiogroup", { name: "Message type" }).getByText("Reply").click();
    await page.getByRole("button", { name: "Send reply" }).waitFor();
    await editor(page).click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText("Please restart the gate.");

    // Six files are one too many, and that is said before anything is sent.
    const files = Array.from({ length: 6 }, (_, i) => ({ name: `log-${i}.txt`, mimeType: "text/plain", buffer: Buffer.from(`line ${i}`) }));
    await page.locator('input[type="file"]').setInputFiles(files);
    await page.getByText("A message can have up to 5 files. One was not added.").waitFor();
    for (const name of ["log-2.txt", "log-3.txt", "log-4.txt"]) await page.getByRole("button", { name: `Remove ${name}` }).click();

    // On its way it shows how far it is; the call is held until that was seen.
    let let_go;
    const seen = new Promise((resolve) => (let_go = resolve));
    await page.route("**/message", async (route) => {
      await seen;
      await route.continue();
    });
    await editor(page).focus();
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByText(/Uploading: \d+%/).waitFor();
    await page.getByRole("progressbar", { name: "Upload" }).waitFor({ state: "attached" });
    let_go();

    // It waits at its place, also after a reload, and comes back into the editor with its files.
    const waiting = page.getByRole("article", { name: "Unsent reply" });
    await waiting.getByText(/Sending in \d+ s/).waitFor();
    await page.reload();
    await waiting.getByText("Please restart the gate.").waitFor();
    await waiting.getByRole("button", { name: "Undo" }).click();
    await editor(page).getByText("Please restart the gate.").waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Reply");
    await page.getByRole("list", { name: "Attachments" }).getByText("log-1.txt").waitFor();
    await waiting.waitFor({ state: "detached" });
    assert.equal((await read(id)).messages.length, 1, "it was sent all the same");

    // Sent once more, they are with it, though nobody uploads them again.
    await page.keyboard.press("ControlOrMeta+Enter");
    await waiting.getByText(/Sending in \d+ s/).waitFor();
    await waiting.getByText("log-1.txt", { exact: false }).waitFor();
    const { waiting_messages } = await desk.api("GET", `/requests/${id}/waiting-messages`);
    assert.deepEqual(waiting_messages.flatMap((w) => w.attachments.map((a) => a.name)).sort(), ["log-0.txt", "log-1.txt"]);

    // Taken back while a note is being written, it is part of the note: nothing that was meant for the team becomes public.
    await write(page, "They unplugged it.", { note: true, send: false });
    await waiting.getByRole("button", { name: "Undo" }).click();
    await editor(page, "Internal note").getByText("Please restart the gate.").waitFor();
    await editor(page, "Internal note").getByText("They unplugged it.").waitFor();
    await page.getByRole("button", { name: "Add note" }).waitFor();
    await waiting.waitFor({ state: "detached" });
  });
  await on(0, async (page) => {
    await page.goto(`/requests/${id}`);
    await write(page, "Now it is said.", { send: false });
    await page.locator('input[type="file"]').setInputFiles([{ name: "answer.txt", mimeType: "text/plain", buffer: Buffer.from("42") }]);
    await page.getByRole("button", { name: "Send reply" }).click();
    await log(page)
      .getByRole("link", { name: /answer\.txt/ })
      .waitFor();
    const sent = (await read(id)).messages;
    assert.deepEqual([sent.length, sent.at(-1).text, sent.at(-1).attachments.map((a) => a.name)], [2, "Now it is said.", ["answer.txt"]]);
    assert.equal(await kept(page, `.draft.${id}`), null);
  });
});

test("what could not be sent is kept, with the reason and a way on", async () => {
  const id = await made("The ramp is down");
  await on(
    0,
    async (page) => {
      await page.goto(`/requests/${id}`);
      // The server has it, and its answer is lost: tried again, it is said once.
      await page.route(
        "**/message",
        async (route) => {
          await route.fetch();
          await route.abort();
        },
        { times: 1 },
      );
      await write(page, "The ramp is up again.");
      const slip = page.getByRole("article", { name: "Unsent reply" });
      await slip.getByText("Not sent. Frontdesk is not responding.", { exact: false }).waitFor();
      await accessible(page, "a message that was not sent");
      await slip.getByRole("button", { name: "Try again" }).click();
      await slip.waitFor({ state: "detached" });
      await log(page).getByText("The ramp is up again.").waitFor();
      assert.equal((await read(id)).messages.filter((m) => m.text === "The ramp is up again.").length, 1, "it was said twice");
    },
    { expected: /Failed to load resource/ },
  );
  // The request is closed before its time comes: it is not said, and not lost.
  await on(20, async (page) => {
    await page.goto(`/requests/${id}`);
    await write(page, "One thing more.");
    const slip = page.getByRole("article", { name: "Unsent reply" });
    await slip.getByText(/Sending in \d+ s/).waitFor();
    await desk.api("PATCH", `/requests/${id}`, { state: "closed" });
    await slip.getByText("Not sent.", { exact: false }).waitFor();
    await page.reload();
    await slip.getByText("One thing more.").waitFor();
    await slip.getByRole("button", { name: "Discard" }).click();
    await slip.waitFor({ state: "detached" });
    assert.ok(!(await read(id)).messages.some((m) => m.text === "One thing more."));
  });
});

test("what is taken back is the last that was sent, though the server has not answered yet", async () => {
  const id = await made("The dock is wet");
  await on(60, async (page) => {
    const waiting = async () => (await desk.api("GET", `/requests/${id}/waiting-messages`)).waiting_messages.map((m) => m.text);
    const slips = page.getByRole("article", { name: /^Unsent/ });
    await page.goto(`/requests/${id}`);
    await write(page, "Only for us.", { note: true });
    await slips.getByText(/Sending in \d+ s/).waitFor();
    const answer = await hold(page, /\/requests\/\d+\/message$/);
    await write(page, "It is dry agian.");
    await slips.getByText("It is dry agian.").waitFor();
    await page.keyboard.press("Escape");
    await until("the editor is left", () => editor(page).evaluate((e) => e !== document.activeElement));
    await page.keyboard.press("z");
    answer();
    await editor(page).getByText("It is dry agian.").waitFor();
    assert.deepEqual(await waiting(), ["Only for us."]);
  });
});

test("what is typed while the editor is on its way is kept for it, and is no command", async () => {
  const id = await made("The keys are faster than the code");
  const here = (page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  // The letters in it are also keys: they would solve, assign, open lists, merge, mark and so on.
  const said = "even so, please";
  const untouched = async () => {
    const { state, assignee, priority } = await read(id);
    assert.deepEqual([state, assignee, priority], ["open", null, "normal"], "keys of the text have run as commands");
  };
  await on(0, async (page) => {
    // The code of the editor comes late.
    const arrive = await hold(page, /\/assets\/Editor-[^/]*\.js$/);
    await page.goto(`/requests/${id}`);
    await page.getByRole("region", { name: "Write a reply" }).waitFor();
    await slowDown(page, 4); // from here on: until then nothing is typed
    await page.keyboard.press("r");
    await page.keyboard.type(`${said}, all of u`);
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Enter");
    await page.keyboard.type("a list");
    await untouched();
    arrive();
    await editor(page).getByText("a list").waitFor();
    assert.equal((await editor(page).innerText()).replace(/\n+/g, "\n"), `${said}, all of \na list`);
    assert.equal(await here(page), "Reply");
    await page.keyboard.type("!"); // the focus has come with it
    await editor(page).getByText("a list!").waitFor();

    // The request itself comes late: it was opened by a key, and the next one answers it.
    await until("the draft kept", async () => (await kept(page, `.draft.${id}`))?.includes("a list!"));
    await until("it is found", async () => (await desk.api("GET", "/requests/search?query=faster")).requests.length === 1);
    const answer = await hold(page, new RegExp(`/v1/rest/requests/${id}\\?`));
    await page.goto("/requests?query=faster");
    await page.locator(`li[data-id="${id}"]`).waitFor();
    await page.keyboard.press("j");
    await page.locator(`li[data-id="${id}"][data-here]`).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/requests/${(await read(id)).key}*`);
    await page.keyboard.press("n");
    await page.keyboard.type(said);
    await untouched();
    answer();
    await editor(page, "Internal note").getByText(`a list!${said}`).waitFor();
    assert.equal(await here(page), "Internal note");
    await untouched();
  });
  // Nothing is held back, and nothing is waited for but what a person sees.
  for (let i = 0; i < 3; i++)
    await on(0, async (page) => {
      await slowDown(page, 4);
      await page.goto(`/requests/${id}`);
      await log(page).waitFor();
      await page.keyboard.press("r");
      await page.keyboard.type(said);
      await editor(page).getByText(said).waitFor();
      await untouched();
    });
});

test("a key in the very moment in which the composer appears is meant for it", async () => {
  const id = await made("Pressed at the worst moment");
  await until("it is found", async () => (await desk.api("GET", "/requests/search?query=worst")).requests.length === 1);
  const press = (moment, key) =>
    on(0, async (page) => {
      // Load everything before the request is opened, so that it is drawn in one go.
      const [request, code] = [`/v1/rest/requests/${id}`, /\/assets\/Editor-[^/]*\.js$/].map((path) => page.waitForResponse((r) => r.url().match(path) !== null));
      await page.goto("/requests?query=worst");
      await page.locator(`li[data-id="${id}"]`).waitFor();
      await page.keyboard.press("j");
      await Promise.all([request, code].map(async (r) => (await r).finished()));
      // The page itself presses the key as soon as the element appears, before anything else runs.
      await page.evaluate(
        ([moment, key]) => {
          const watch = new MutationObserver(() => {
            if (!document.querySelector(moment)) return;
            watch.disconnect();
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
          });
          watch.observe(document, { childList: true, subtree: true });
        },
        [moment, key],
      );
      await page.keyboard.press("Enter");
      const box = editor(page, key === "n" ? "Internal note" : "Reply");
      await page.waitForFunction((e) => e === document.activeElement, await box.elementHandle());
      await page.keyboard.type("so be it");
      await box.getByText("so be it").waitFor();
    });
  for (const moment of ['section[aria-label^="Write a"]', '[role="textbox"][aria-multiline]']) for (const key of ["n", "r"]) await press(moment, key);
});

test("what somebody wrote outlives the page, the session and the browser, and is sent once", async () => {
  const id = await made("The dock light is out");
  const folder = await mkdtemp(join(tmpdir(), "frontdesk-browser-"));
  const slip = (page) => page.getByRole("article", { name: "Unsent reply" });
  const chosen = (page) => page.getByRole("list", { name: "Attachments" });
  const file = (name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(`this is ${name}`) });
  /** Checks what somebody finds when they come back: the unsent message, and the draft that was begun after it. */
  const isAllThere = async (page) => {
    await slip(page).getByText("The light is on again.").waitFor();
    await slip(page).getByText("photo.txt", { exact: false }).waitFor();
    await editor(page).getByText("And one thing more").waitFor();
    await chosen(page).getByText("later.txt").waitFor();
  };
  try {
    await withBrowser(desk, folder, async (page, context) => {
      await signIn(context, desk);
      await page.addInitScript(() => localStorage.setItem("frontdesk.preferences", JSON.stringify({ undoSeconds: 0 })));
      await page.goto(`/requests/${id}`);
      // The server is dead.
      await page.route("**/message", (route) => route.abort());
      await write(page, "The light is on again.", { send: false });
      await page.locator('input[type="file"]').setInputFiles([file("photo.txt")]);
      await page.getByRole("button", { name: "Send reply" }).click();
      await slip(page).getByText("Not sent. Frontdesk is not responding.", { exact: false }).waitFor();
      await write(page, "And one thing more", { send: false });
      await page.locator('input[type="file"]').setInputFiles([file("later.txt")]);
      await until("the draft kept", async () => (await kept(page, `.draft.${id}`))?.includes("later.txt"));
      await page.reload();
      await isAllThere(page);
    });
    await withBrowser(desk, folder, async (page, context) => {
      // Somebody else signs in at the same machine, and sees nothing of it.
      await signIn(context, { ...desk, email: "maya@acme.test" });
      await page.goto(`/requests/${id}`);
      await page.getByRole("button", { name: /^Maya.*account menu/ }).waitFor();
      await editor(page).waitFor();
      assert.deepEqual([await editor(page).innerText(), await slip(page).count(), await chosen(page).count()], ["\n", 0, 0]);

      // Who wrote it is told wherever they are, and led there.
      await signIn(context, desk);
      await page.goto("/customers");
      await page.getByText("A message you wrote here was not sent.", { exact: false }).waitFor();
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await isAllThere(page);

      // Tried again, it arrives, and the answer is lost. Then the session is over.
      await page.route(
        "**/message",
        async (route) => {
          await route.fetch();
          await route.abort();
        },
        { times: 1 },
      );
      await slip(page).getByRole("button", { name: "Try again" }).click();
      await slip(page).getByText("Not sent. Frontdesk is not responding.", { exact: false }).waitFor();
      await page.route(
        "**/message",
        async (route) => {
          await context.clearCookies();
          await route.continue();
        },
        { times: 1 },
      );
      await slip(page).getByRole("button", { name: "Try again" }).click();
      const dialog = page.getByRole("dialog", { name: "Sign in again" });
      await dialog.waitFor();
      assert.doesNotMatch(await page.locator("body").innerText(), /bearer|access token/i);
      await accessible(page, "signing in again");
      await dialog.getByLabel("Password", { exact: true }).fill("not the password");
      await page.keyboard.press("Enter");
      await dialog.getByRole("alert").waitFor();
      await dialog.getByLabel("Password", { exact: true }).fill(desk.password);
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "detached" });

      // It is sent by itself, once, though it is another session; the page is as it was.
      await slip(page).waitFor({ state: "detached" });
      await log(page).getByText("The light is on again.").waitFor();
      const sent = (await read(id)).messages.filter((m) => m.text === "The light is on again.");
      assert.deepEqual(
        sent.map((m) => m.attachments.map((a) => a.name)),
        [["photo.txt"]],
      );
      await editor(page).getByText("And one thing more").waitFor();
      await page.getByRole("button", { name: "Send reply" }).click();
      await log(page)
        .getByRole("link", { name: /later\.txt/ })
        .waitFor();
      await page.reload();
      await log(page).getByText("And one thing more").waitFor();
      assert.deepEqual([await editor(page).innerText(), await slip(page).count(), await chosen(page).count()], ["\n", 0, 0]);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("people are mentioned and quick replies put in while typing", async () => {
  const id = await made("Who knows the scanner");
  const screenshot = { name: "Screenshot", html: "<p>Could you send us a <strong>screenshot</strong>?</p>", shared: true };
  await on(0, async (page) => {
    // Where there are none yet, it says so, and where they are made.
    await page.goto(`/requests/${id}`);
    await editor(page).click();
    await page.keyboard.type("Wait ;");
    const none = page.getByRole("status").filter({ hasText: "No quick replies yet." });
    await none.waitFor();
    await accessible(page, "no quick replies");
    await page.keyboard.type("-)");
    await none.waitFor({ state: "detached" });
    await page.keyboard.type(" ;");
    await none.getByRole("link", { name: "Create one" }).click();
    await page.waitForURL(/\/settings\/quick-replies$/);
    await page.getByRole("heading", { level: 1, name: "Quick replies" }).waitFor();
    await page.goBack();
    await editor(page).getByText("Wait ;-) ;").waitFor();
    await editor(page).click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Backspace");

    await desk.api("POST", "/quick-replies", screenshot);
    await page.reload();
    await editor(page).click();
    await page.keyboard.type("Ask @may");
    await page.getByRole("option", { name: /Maya/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.keyboard.type(";scr");
    await page.getByRole("option", { name: /Screenshot/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("ControlOrMeta+Enter");
    await log(page).getByText("@Maya").waitFor();
    const { html_body: html } = await until("it is said", async () => (await read(id)).messages[1]);
    assert.match(html, /<span data-user="U[A-Z0-9]+">@/);
    assert.match(html, /<strong>screenshot<\/strong>/);
  });
});

test("whoever is typed is mentioned, and takes part, not who was offered before, though the server has not answered yet", async () => {
  const id = await made("Who knows the label printer");
  await on(0, async (page) => {
    const answer = await hold(page, /\/users\?.*query=/);
    await page.goto(`/requests/${id}`);
    await editor(page).click();
    await page.keyboard.type("Ask @");
    const offered = page.getByRole("listbox", { name: "People" }).getByRole("option");
    await offered.filter({ hasText: "Maya" }).waitFor();
    assert.doesNotMatch(await offered.first().innerText(), /Maya/);
    await page.keyboard.type("may");
    await page.keyboard.press("Enter");
    await editor(page)
      .getByText(/Ask @\w+ /)
      .waitFor();
    assert.equal(await editor(page).innerText(), "Ask @Maya ");

    await page.getByRole("button", { name: "Add contributor" }).click();
    const list = page.getByRole("dialog", { name: "Contributors" });
    await list.getByRole("option", { name: "Maya" }).waitFor();
    const asked = page.waitForRequest(/\/users\?.*query=oskar/i);
    await list.getByRole("combobox").fill("oskar");
    await list.getByRole("combobox").press("Enter");
    await asked;
    answer();
    await list.getByRole("option", { name: "Oskar", selected: true }).waitFor();
    assert.equal((await read(id)).contributors.length, 1);
  });
});

test("a ticket is made with a form, one of another system linked and unlinked, and a survey sent by hand", async () => {
  const id = await made("The conveyor needs a part");
  await on(0, async (page) => {
    await page.goto(`/requests/${id}`);
    const panel = page.getByRole("complementary", { name: "Properties" });
    await panel.getByRole("button", { name: "Add ticket" }).click();
    await page.getByRole("menuitem", { name: "Something is not working" }).click();
    const dialog = page.getByRole("dialog", { name: "Something is not working" });
    await dialog.getByRole("textbox", { name: "Title" }).fill("A new belt");
    await dialog.getByRole("combobox", { name: "Area" }).click();
    await page.getByRole("option", { name: "Billing" }).click();
    await dialog.getByRole("textbox", { name: "Description" }).fill("The belt <of> line 3 is worn.\n\nPlease order one.");
    await accessible(page, "a ticket form");
    await dialog.getByRole("button", { name: "Create ticket" }).click();
    await dialog.waitFor({ state: "detached" });
    const child = await until("the ticket is a part of the request", async () => (await read(id)).child_requests?.[0]);
    assert.match((await read(child.id ?? child)).messages[0].text, /^The belt <of> line 3 is worn\./);

    await panel.getByRole("button", { name: "Add ticket" }).click();
    await page.getByRole("menuitem", { name: "Link a ticket from another system" }).click();
    const linking = page.getByRole("dialog", { name: "Link a ticket from another system" });
    await linking.getByRole("textbox", { name: "Ticket" }).fill("#4711");
    await linking.getByRole("button", { name: "Link", exact: true }).click();
    await linking.waitFor({ state: "detached" });
    await panel.getByRole("listitem").filter({ hasText: "4711" }).waitFor(); // no link: the other system has not told its address
    await panel.getByRole("button", { name: /^Unlink / }).click();
    const asking = page.getByRole("dialog", { name: /^Unlink / });
    await asking.getByText("stay on both sides", { exact: false }).waitFor();
    await accessible(page, "the question before a ticket is unlinked");
    await asking.getByRole("button", { name: "Unlink", exact: true }).click();
    await panel.getByRole("listitem").filter({ hasText: "4711" }).waitFor({ state: "detached" });
    await until("it is unlinked", async () => (await read(id)).tickets.every((t) => t.type === "native"));

    // A survey is in the customer's thread at once, so it is asked before.
    await panel.getByRole("button", { name: "Send survey" }).click();
    const survey = page.getByRole("dialog", { name: "Send a survey?" });
    await survey.getByText("cannot take it back", { exact: false }).waitFor();
    await accessible(page, "the question before a survey");
    await survey.getByRole("button", { name: "Cancel" }).click();
    await survey.waitFor({ state: "detached" });
    assert.equal((await read(id)).csat_survey, null);
    await panel.getByRole("button", { name: "Send survey" }).click();
    await survey.getByRole("button", { name: "Send survey" }).click();
    await panel.getByText("Survey sent, no answer yet").waitFor();
  });
});

test("requests are merged and split, and both are undone", async () => {
  const [into, other] = [await made("Pallet labels are blank"), await made("Labels without ink zebra")];
  await desk.api("POST", `/requests/${into}/message`, { html_body: "<p>And the forklift beeps all day.</p>" });
  await on(0, async (page) => {
    await page.goto(`/requests/${into}`);
    await editor(page).waitFor();
    await menu(page, "Merge other requests into this one");
    const dialog = page.getByRole("dialog", { name: /Merge requests into/ });
    // What is found replaces what is offered at first. A click before that could meet another one.
    const second = dialog.getByRole("checkbox").nth(1);
    await second.waitFor();
    await dialog.getByRole("textbox", { name: "Find requests" }).fill("ink zebra");
    await second.waitFor({ state: "detached" });
    await dialog.getByRole("checkbox", { name: /Labels without ink zebra/ }).check();
    await dialog.getByText("You can undo this.", { exact: false }).waitFor();
    await accessible(page, "the merge dialog");
    await dialog.getByRole("button", { name: "Merge", exact: true }).click();
    await log(page).getByText("Labels without ink zebra, said a customer.").waitFor();
    assert.equal((await read(other)).merged_into, into);

    // A link to the one that is gone leads here.
    await page.goto(`/requests/${other}`);
    await page.waitForURL(`**/requests/${(await read(into)).key}`);
    await page.getByRole("heading", { level: 1, name: /Pallet labels are blank/ }).waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page
      .getByRole("listitem")
      .filter({ hasText: /^.*Merged [A-Z]+-\d+ into this/ })
      .getByRole("button", { name: "Undo" })
      .click();
    await log(page).getByText("Labels without ink zebra, said a customer.").waitFor({ state: "detached" });
    assert.equal((await read(other)).merged_into, undefined);

    await menu(page, "Split");
    await page.getByRole("checkbox", { name: /forklift/ }).check();
    await page.getByRole("textbox", { name: "Title of the new request" }).fill("A forklift that beeps");
    await page.getByRole("button", { name: "Split" }).click();
    await log(page).getByText("And the forklift beeps all day.").waitFor({ state: "detached" });
    await until("the new request", async () => (await desk.api("GET", "/requests?limit=20")).requests.some((r) => r.title === "A forklift that beeps"));
    await page.getByRole("alert").filter({ hasText: "moved to" }).getByRole("button", { name: "Undo" }).click();
    await log(page).getByText("And the forklift beeps all day.").waitFor();
  });
});

/** Somebody new in the workspace, whom Frontdesk knows. */
async function colleague(name, email) {
  const { sandbox } = await desk.api("GET", "/sandbox");
  const { token } = await desk.api("POST", "/sandbox/token", { user_id: sandbox.users.find((u) => u.email === desk.email).id });
  const headers = { Authorization: `Bearer ${token.secret}`, "Content-Type": "application/json" };
  const { user } = await (await fetch(`${desk.url}/sandbox/act/invite`, { method: "POST", headers, body: JSON.stringify({ real_name: name, email }) })).json();
  await until(`${name} is known`, async () => (await desk.api("GET", `/users?ids=${user.id}`)).users.length === 1);
  return user.id;
}

test("a request is offered to those who answer and to members first, and never to customers", async () => {
  const id = await made("Somebody must do this");
  const nils = await colleague("Nils Elsewhere", "nils@warehouse.test");
  const olga = await colleague("Olga Responds", "olga@warehouse.test");
  const { collection } = await read(id);
  const { config } = (await desk.api("GET", `/collections/${collection.id}`)).collection;
  await desk.api("PATCH", `/collections/${collection.id}`, { config: { responders: [...config.responders, { user_id: olga }] } });
  await on(0, async (page) => {
    await page.goto(`/requests/${id}`);
    const dialog = page.getByRole("dialog", { name: "Assignee" });
    await page.getByRole("button", { name: "Assignee: Unassigned" }).click();
    await dialog.getByRole("option", { name: "Nils" }).waitFor();
    const offered = await dialog.getByRole("option").allInnerTexts();
    assert.deepEqual(offered.slice(-3), ["Olga", "Nils", "Support"], `${offered}`);
    assert.ok(offered.includes("Maya") && !offered.includes("Oskar"), `${offered}`);
    await dialog.getByRole("combobox").fill("oskar");
    await dialog.getByText("No results.").waitFor();
    await page.keyboard.press("Escape");

    // By the key of the list, too.
    await log(page).focus();
    await page.keyboard.press("a");
    await dialog.getByRole("option", { name: "Nils" }).waitFor();
    assert.ok(!(await dialog.getByRole("option").allInnerTexts()).includes("Oskar"));
    await dialog.getByRole("combobox").fill("nils");
    await dialog.locator("[role=option][data-at]").filter({ hasText: "Nils" }).waitFor();
    await page.keyboard.press("Enter");
    await until("it is theirs", async () => (await read(id)).assignee?.id === nils);
  });
});

test("what the panel changes is what the API then says", async () => {
  const [id, parent] = [await made("Everything about this changes"), await made("The bigger matter of all quokkas")];
  await on(0, async (page) => {
    await page.goto(`/requests/${id}`);
    const panel = page.getByRole("complementary", { name: "Properties" });
    const says = (what, look) => until(what, async () => look(await read(id)));
    const pick = async (name, option, typed) => {
      const box = panel.getByRole("combobox", { name, exact: true });
      await box.click();
      if (typed) await box.fill(typed);
      await page.getByRole("option", { name: option }).click();
    };
    const give = async (name, option, typed) => {
      await panel.getByRole("button", { name: new RegExp(`^${name}: `) }).click();
      const dialog = page.getByRole("dialog", { name, exact: true });
      if (typed) await dialog.getByRole("combobox").fill(typed);
      await dialog.getByRole("option", { name: option }).click();
      await dialog.waitFor({ state: "detached" });
    };

    await give("State", "Pending");
    await says("pending", (r) => r.state === "pending");
    await give("Priority", "Urgent");
    await says("urgent", (r) => r.priority === "urgent");
    await give("Assignee", /Priya/, "priy");
    await says("an assignee", (r) => r.assignee !== null);
    await give("Team", "Support");
    await says("a team", (r) => r.assigned_team !== null);
    await give("Customer", "Bergamota Cafés", "berg");
    await says("the customer", (r) => r.customer_id !== null);

    const { custom_fields } = await desk.api("GET", "/custom-fields");
    const field = (name) => String(custom_fields.find((f) => f.name === name).id);
    await pick("Area", "Billing");
    await says("the area", (r) => r.custom_field_values[field("Area")] === "2");
    await panel.getByRole("textbox", { name: "Seats" }).fill("12");
    await panel.getByRole("textbox", { name: "Seats" }).press("Enter");
    await says("the seats", (r) => r.custom_field_values[field("Seats")] === 12);
    await panel.getByRole("textbox", { name: "Order no." }).fill("A-17 <b>");
    await panel.getByRole("textbox", { name: "Order no." }).press("Enter");
    await says("the order", (r) => r.custom_field_values[field("Order no.")] === "A-17 <b>");

    const tags = panel.getByRole("combobox", { name: "Tags" });
    await tags.fill("quokka");
    await tags.press("Enter");
    await says("the tag", (r) => r.tags.includes("quokka"));
    await panel.getByRole("button", { name: "Add contributor" }).click();
    await page.getByRole("combobox", { name: "Contributors" }).fill("tom");
    await page.getByRole("option", { name: /Tomás/ }).waitFor();
    await page.keyboard.press("Enter");
    await says("a contributor", (r) => r.contributors.length === 1);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await panel.getByRole("button", { name: "Set parent request" }).click();
    await page.getByRole("combobox", { name: "Parent request" }).fill("quokkas");
    await page.getByRole("option", { name: /bigger matter/ }).click();
    await says("the parent", (r) => r.parent_request === parent);
    await panel.getByRole("link", { name: /bigger matter/ }).waitFor();

    await page.getByRole("button", { name: "Everything about this changes" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Nothing stays");
    await page.keyboard.press("Enter");
    await says("the title", (r) => r.title === "Nothing stays");
    await page.getByRole("heading", { level: 1, name: /Nothing stays/ }).waitFor();

    // The history says it in words, and takes it back.
    await panel.getByRole("button", { name: "History" }).click();
    const entry = panel.getByRole("listitem").filter({ hasText: "Priority: Normal → Urgent" }).first();
    await entry.getByRole("button", { name: "Undo" }).click();
    await says("the priority as it was", (r) => r.priority === "normal");
    await panel.getByRole("button", { name: "Priority: Normal" }).waitFor();

    // Closed for good.
    await give("State", "Closed");
    await page.getByText("This request is closed and cannot be changed.", { exact: false }).waitFor();
    await says("closed", (r) => r.state === "closed");
    assert.equal(await editor(page).count(), 0);
  });
});

test("what is typed into a field and refused stays there, with the reason, until it is corrected or taken back", async () => {
  const id = await made("The order has no number");
  const { custom_fields } = await desk.api("GET", "/custom-fields");
  const field = (name) => String(custom_fields.find((f) => f.name === name).id);
  await on(
    0,
    async (page) => {
      await page.goto(`/requests/${id}`);
      const panel = page.getByRole("complementary", { name: "Properties" });
      for (const [name, typed, corrected, value] of [
        ["Order no.", "A-17", "A-18", "A-18"],
        ["Seats", "12", "13", 13],
      ]) {
        const box = panel.getByRole("textbox", { name });
        const errors = [{ field: `custom_field_values.${field(name)}`, message: "is not one of ours" }];
        await page.route(`**/v1/rest/requests/${id}`, (route) => (route.request().method() === "PATCH" ? route.fulfill({ status: 400, json: { message: "No.", errors } }) : route.fallback()));
        await box.fill(typed);
        await box.press("Enter");
        await panel.getByText("is not one of ours").waitFor();
        assert.equal(await box.inputValue(), typed);
        assert.equal((await read(id)).custom_field_values[field(name)], undefined);

        await box.press("Escape");
        await panel.getByText("is not one of ours").waitFor({ state: "detached" });
        assert.equal(await box.inputValue(), "");
        await page.unrouteAll({ behavior: "wait" });
        await box.fill(corrected);
        await box.press("Enter");
        await until("it is saved", async () => (await read(id)).custom_field_values[field(name)] === value);
        assert.equal(await box.inputValue(), corrected);
      }
    },
    { expected: /400/ },
  );
});

test("it can be read by everybody: light and dark, on a phone, and what is not there", async () => {
  const { requests } = await desk.api("GET", "/requests?state=pending&include=messages&limit=100");
  const { id } = requests.find((r) => r.messages.some((m) => m.is_private));
  await on(0, async (page) => {
    await page.goto(`/requests/${id}`);
    await editor(page).waitFor();
    await page.getByRole("complementary", { name: "Properties" }).getByRole("heading", { name: "SLA" }).waitFor();
    await accessibleInBoth(page, "a request");
    await write(page, "Only for us", { note: true, send: false });
    await page.getByRole("button", { name: "Add note" }).waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page.getByText("opened the request", { exact: false }).waitFor();
    await accessibleInBoth(page, "a note");
  });
  await on(
    0,
    async (page) => {
      await page.goto(`/requests/${id}`);
      await editor(page).waitFor();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page scrolls sideways");
      await accessible(page, "a request on a phone");
      await page.getByRole("button", { name: "Properties" }).click();
      await page
        .getByRole("dialog", { name: "Properties" })
        .getByRole("button", { name: /^State: / })
        .waitFor();
      await accessible(page, "properties on a phone");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Back to the list" }).click();
      await page.waitForURL(/\/requests(\?.*)?$/);
    },
    { viewport: { width: 390, height: 844 } },
  );
  await on(
    0,
    async (page) => {
      await page.goto("/requests/99999999");
      await page.getByText("Request not found").waitFor();
      await page.goto("/requests/nonsense");
      await page.getByText("Request not found").waitFor();
      await accessible(page, "no such request");
    },
    { expected: /404/ },
  );
});

test("people's text has the direction of its words, wherever it is shown or typed", async () => {
  const id = await made("הדפסת התוויות נעצרה", "<p>The label printer:</p><p>הוא לא מדפיס.</p><ul><li>שורה</li></ul>");
  await desk.api("POST", `/requests/${id}/message`, { html_body: "<p>ملاحظة للفريق</p>", is_private: true });
  await desk.api("PATCH", `/requests/${id}`, { tags: ["תוויות"] });
  await on(0, async (page) => {
    await openInbox(page);
    const direction = (locator) => locator.evaluate((e) => getComputedStyle(e).direction);
    const is = async (wanted, what, locator) => assert.equal(await direction(locator), wanted, what);
    await is("rtl", "a title on the list", page.locator(`li[data-id="${id}"]`).getByRole("link"));
    await page.locator(`li[data-id="${id}"]`).getByRole("link").click();
    await is("rtl", "the title", page.getByRole("button", { name: "הדפסת התוויות נעצרה" }));
    await is("ltr", "a paragraph of a message", log(page).getByText("The label printer:"));
    await is("rtl", "the next paragraph", log(page).getByText("הוא לא מדפיס."));
    await is("rtl", "a list", log(page).getByRole("listitem").filter({ hasText: "שורה" }));
    await is("rtl", "a note", log(page).getByText("ملاحظة للفريق"));
    await editor(page).click();
    await page.keyboard.insertText("שלום");
    await is("rtl", "what is written", editor(page));
    await page.getByRole("button", { name: "הדפסת התוויות נעצרה" }).click();
    await is("rtl", "a title that is typed", page.getByRole("textbox", { name: "Title" }));
    await page.keyboard.press("Escape");
    const search = page.getByRole("textbox", { name: "Search requests" });
    await is("ltr", "an empty search", search);
    await search.fill("תוויות");
    await is("rtl", "a search", search);
    await search.press("Escape");
    // In what the library draws, the line of the text itself tells.
    const tag = page.locator(".mantine-Pill-label", { hasText: "תוויות" });
    assert.equal(await tag.evaluate((e) => getComputedStyle(e).unicodeBidi), "plaintext");
  });
});

// The last one: with so many fields, the panel is another for every request.
test("of many fields, those with a value are shown, the empty ones on demand, and each is found", async () => {
  const id = await made("The many fields");
  const { custom_fields } = await desk.api("GET", "/custom-fields?entity_type=request");
  const name = (n) => `Measure ${String(n).padStart(2, "0")}`;
  const config = { single_line: true, max_length: 255 };
  await on(0, async (page) => {
    await page.goto(`/requests/${id}`);
    const fields = page.getByRole("region", { name: "Fields" });
    await fields.getByText(custom_fields[0].name).waitFor();
    assert.equal(await fields.getByRole("searchbox").count(), 0, "few fields need no search");

    const added = [];
    for (let n = 1; n <= 10; n++) added.push(await desk.api("POST", "/custom-fields", { name: name(n), type: "text", entity_type: "request", config }));
    await desk.api("PATCH", `/requests/${id}`, { custom_field_values: { [added[6].id]: "seven" } });
    await page.reload();
    const box = (n) => fields.getByRole("textbox", { name: name(n) });
    await box(7).waitFor();
    const empty = custom_fields.length + 9;
    const more = fields.getByRole("button", { name: `${empty} empty fields` });
    await more.waitFor();
    assert.equal(await box(1).count(), 0);
    await accessible(page, "many fields");

    // What is emptied stays in its place, and so does what is filled in.
    await box(7).fill("");
    await box(7).press("Enter");
    await until("it is empty", async () => (await read(id)).custom_field_values[added[6].id] === undefined);
    await box(7).waitFor();
    await fields.getByRole("searchbox", { name: "Find a field" }).fill("measure 03");
    await box(3).fill("three");
    await box(3).press("Enter");
    await until("it is saved", async () => (await read(id)).custom_field_values[added[2].id] === "three");
    assert.equal(await box(7).count(), 0, "what is not searched for");
    await fields.getByRole("searchbox").fill("nowhere");
    await fields.getByText("No field with this name.").waitFor();
    await fields.getByRole("searchbox").fill("");
    await box(3).waitFor();
    await fields.getByRole("button", { name: `${empty - 1} empty fields` }).click();
    await box(1).waitFor();
    await fields.getByRole("button", { name: "Hide empty fields" }).click();
    await box(1).waitFor({ state: "detached" });
  });
});

test("what happened stands between the messages, live, folded when it is much, and only for those who want it", async () => {
  const id = await made("The gate counts twice");
  await withPage(desk, async (page) => {
    await page.goto(`/requests/${id}`);
    const happened = log(page).getByRole("list", { name: "What happened" }).last();
    await desk.api("PATCH", `/requests/${id}`, { priority: "high", state: "pending" });
    await happened.getByText(/set the state to Pending and set the priority to High/).waitFor();
    await desk.api("POST", `/requests/${id}/message`, { html_body: "<p>We count again.</p>" });
    await log(page).getByText("We count again.").waitFor();
    for (const change of [{ title: "The <b>gate</b>" }, { state: "solved" }]) await desk.api("PATCH", `/requests/${id}`, change);
    await happened.getByText("solved it").waitFor();
    assert.equal(await happened.getByText("renamed it to “The <b>gate</b>”").count(), 1);
    for (const change of [{ state: "open" }, { priority: "low" }]) await desk.api("PATCH", `/requests/${id}`, change);
    const fold = happened.getByRole("button", { name: /^\d changes by Mira Vance/ });
    await fold.waitFor();
    assert.equal(await happened.getByText("reopened it").count(), 0);
    await fold.click();
    await happened.getByText("reopened it").waitFor();
    await accessible(page, "a conversation with what happened");

    await page.goto("/settings/preferences");
    await page.getByRole("switch", { name: "Show what happened" }).uncheck();
    await page.goto(`/requests/${id}`);
    await log(page).getByText("We count again.").waitFor();
    assert.equal(await happened.count(), 0);
  });
});
