// An agent's day, by the keyboard alone: the page is opened, and from there on
// nothing but keys is pressed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { startDemo } from "./app.mjs";
import { close, kept, launch, openInbox, pressInRow, until, withPage } from "./browser.mjs";
import { askInChat, enter } from "./people.mjs";

let desk;
before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});
after(async () => {
  await close();
  await desk?.stop();
});

const count = 20;

test("twenty requests triaged, three notes, a merge, an undone send, a reload in mid-draft", async () => {
  const ids = [];
  for (let i = 1; i <= count; i++) {
    const { request } = await desk.api("POST", "/requests", { title: `Question ${String(i).padStart(2, "0")} of the day`, description: `<p>Question ${i}, asked in the morning.</p>` });
    ids.unshift(Number(request.id)); // the list has the newest first
  }
  const read = async (id) => (await desk.api("GET", `/requests/${id}?include=messages`)).request;
  const said = async (id, text) => (await read(id)).messages.find((m) => m.text === text);

  await withPage(desk, async (page) => {
    // Time enough to take a message back, however slow the machine is.
    await page.addInitScript(() => (localStorage["frontdesk.preferences"] ??= JSON.stringify({ undoSeconds: 60 })));
    await page.goto("/requests");
    const keys = page.keyboard;
    const row = (id) => page.locator(`li[data-id="${id}"]`);
    const here = (id) => page.locator(`li[data-id="${id}"][data-here]`).waitFor();
    const dialog = page.getByRole("dialog");
    const editor = (name) => page.getByRole("textbox", { name, exact: true });
    const focused = (locator) => until("the editor has the focus", () => locator.evaluate((e) => e === document.activeElement));
    /** Presses a key that opens a list, types and takes what was meant. */
    const choose = async (key, typed, option) => {
      await keys.press(key);
      await dialog.getByRole("combobox").waitFor();
      await until("the list has the focus", () => dialog.getByRole("combobox").evaluate((e) => e === document.activeElement));
      await keys.type(typed);
      await dialog.locator("[role=option][data-at]").filter({ hasText: option }).waitFor();
      await keys.press("Enter");
      await dialog.waitFor({ state: "detached" });
    };
    /** Writes, and leaves the editor. */
    const write = async (key, name, text) => {
      await keys.press(key);
      await focused(editor(name));
      await keys.insertText(text);
      await keys.press("ControlOrMeta+Enter");
      await until("the editor is empty", async () => (await editor(name).innerText()).trim() === "");
      await keys.press("Escape");
      await until("the editor is left", () => editor(name).evaluate((e) => e !== document.activeElement));
    };

    await row(ids[0]).waitFor();
    await keys.press("j");
    await page.locator("li[data-id][data-here]").waitFor();
    // Whatever stands above the first of today's is passed over.
    for (let i = 0; i < 50 && !(await page.locator(`li[data-id="${ids[0]}"][data-here]`).isVisible()); i++) await keys.press("j");
    await here(ids[0]);

    // Twenty are triaged: each its priority and its owner, every third is solved at once.
    for (const [i, id] of ids.entries()) {
      await here(id);
      const [priority, state] = [["High", "Low", "Urgent", "Normal"][i % 4], i % 3 === 2 ? "solved" : "open"];
      if (priority !== "Normal") await choose("p", priority, priority);
      await choose("a", "maya", "Maya");
      await until(`request ${id} is triaged`, async () => {
        const r = await read(id);
        return r.priority === priority.toLowerCase() && r.assignee !== null;
      });
      if (state === "solved") {
        await keys.press("e"); // and the keys go on to the next
        await until(`request ${id} is solved`, async () => (await read(id)).state === "solved");
      } else if (i < count - 1) await keys.press("j");
    }

    // Three of them are found again, and get a note.
    const search = page.getByRole("textbox", { name: "Search requests" });
    const noted = [ids[0], ids[1], ids[3]];
    for (const [i, id] of noted.entries()) {
      await keys.press("/");
      await focused(search);
      const title = `Question ${String(count - ids.indexOf(id)).padStart(2, "0")} of the day`;
      await keys.type(title); // what stood there is selected
      await until("it alone is found", async () => (await page.locator("li[data-id]").count()) === 1 && (await row(id).isVisible()));
      await keys.press("Enter");
      await until("the search is left", () => search.evaluate((e) => e !== document.activeElement));
      await keys.press("j");
      await here(id);
      await keys.press("Enter");
      await page.waitForURL(new RegExp(`/requests/${(await read(id)).key}\\b`));
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await write("n", "Internal note", `Only for us, number ${i + 1}.`);
      await until("the note waits", async () => {
        const { waiting_messages } = await desk.api("GET", `/requests/${id}/waiting-messages`);
        return isDeepStrictEqual(
          waiting_messages.map((w) => [w.text, w.is_private]),
          [[`Only for us, number ${i + 1}.`, true]],
        );
      });
      if (i < noted.length - 1) {
        await keys.press("Escape");
        await page.waitForURL(/\/requests(\?.*)?$/);
      }
    }

    // A reply with a slip is taken back, and what was typed is there again.
    const answered = noted[2];
    await write("r", "Reply", "It is repaird.");
    await page.getByRole("article", { name: "Unsent reply" }).getByText("It is repaird.").waitFor();
    await keys.press("z");
    await editor("Reply").getByText("It is repaird.").waitFor();
    await focused(editor("Reply"));

    // In the middle of mending it, the page is loaded anew. This one is not taken back, and sent soon.
    await page.evaluate(() => (localStorage["frontdesk.preferences"] = JSON.stringify({ undoSeconds: 10 })));
    await keys.press("ControlOrMeta+a");
    await keys.insertText("It is repaired, and we");
    await until("the draft is kept", async () => (await kept(page, `.draft.${answered}`))?.includes("repaired, and we"));
    await page.reload();
    await editor("Reply").getByText("It is repaired, and we").waitFor();
    await page.getByRole("article").first().waitFor();
    await keys.press("r");
    await focused(editor("Reply"));
    await keys.press("ControlOrMeta+End");
    await keys.insertText(" are sorry.");
    await keys.press("ControlOrMeta+Enter");
    await page.getByRole("article").getByText("It is repaired, and we are sorry.").waitFor(); // on its way, or sent
    await keys.press("Escape");
    await until("the editor is left", () => editor("Reply").evaluate((e) => e !== document.activeElement));

    // Two that are the same become one.
    await pressInRow(page, "g", "i");
    await page.waitForURL(/\/requests(\?.*)?$/);
    await row(ids[0]).waitFor();
    await until("the keys are at the first", async () => {
      await keys.press("k");
      return page.locator(`li[data-id="${ids[0]}"][data-here]`).isVisible();
    });
    await keys.press("x");
    await keys.press("j");
    await here(ids[1]);
    await keys.press("x");
    await page.getByText("2 selected").waitFor();
    await keys.press("m");
    const merge = page.getByRole("dialog", { name: "Merge 2 requests" });
    await merge.waitFor();
    await until("the merge has the focus", () => merge.evaluate((e) => e.contains(document.activeElement)));
    for (let i = 0; i < 20 && !(await merge.getByRole("button", { name: "Merge", exact: true }).evaluate((e) => e === document.activeElement)); i++) await keys.press("Tab");
    await keys.press("Enter");
    await until("two are one", async () => (await read(ids[0])).merged_into === ids[1] || (await read(ids[1])).merged_into === ids[0]);
  });

  // The tab is closed. What was on its way arrives all the same, once, and what was taken back does not.
  const answered = ids[3];
  await until("the reply is sent", () => said(answered, "It is repaired, and we are sorry."));
  // The note could be taken back for longer, and may still wait.
  await until("each is there once", async () => {
    const [{ waiting_messages }, { messages }] = [await desk.api("GET", `/requests/${answered}/waiting-messages`), await read(answered)];
    const all = [...messages.slice(1), ...waiting_messages].map((m) => `${m.text} ${m.is_private}`).sort();
    return isDeepStrictEqual(all, ["It is repaired, and we are sorry. false", "Only for us, number 3. true"]);
  });
});

test("twenty more through a view, beside a colleague: seen, not answered over, told of, snoozed, back, written down, undone", async () => {
  const tomas = await enter(desk, "tomas@acme.test");
  const { me } = await desk.api("GET", "/me");
  const chat = await askInChat(desk, "oskar@harborpine.test", "harbor-and-pine", "The belt of hall two squeaks since Monday. Who looks at it?");
  const ids = [];
  for (let i = 1; i <= count; i++) {
    const { id } = await desk.api("POST", "/requests", {
      collection_id: me.account.api_collection_id,
      title: `Errand ${String(i).padStart(2, "0")} of the afternoon`,
      description: `<p>Errand ${i}.</p>`,
      assignee_id: me.user.id,
    });
    ids.unshift(Number(id));
  }
  const read = async (id) => (await desk.api("GET", `/requests/${id}?include=messages`)).request;

  await withPage(desk, async (page) => {
    // Whatever a mouse or a finger does would be counted.
    await page.addInitScript(() => {
      localStorage["frontdesk.preferences"] ??= JSON.stringify({ undoSeconds: 0 });
      window.pointed = 0;
      for (const what of ["pointerdown", "pointermove", "wheel"]) window.addEventListener(what, () => window.pointed++, true);
    });
    await openInbox(page);
    const keys = page.keyboard;
    const row = (id) => page.locator(`li[data-id="${id}"]`);
    const here = (id) => page.locator(`li[data-id="${id}"][data-here]`).waitFor();
    const dialog = page.getByRole("dialog");
    const reply = page.getByRole("textbox", { name: "Reply", exact: true });
    const has = (what, locator) => until(what, () => locator.evaluate((e) => e === document.activeElement || e.contains(document.activeElement)));
    const heading = (name) => page.getByRole("heading", { level: 1, name }).waitFor();
    const gone = (locator) => locator.waitFor({ state: "detached" });
    /** Runs a command of the palette. */
    const run = async (name) => {
      await keys.press("ControlOrMeta+k");
      const box = page.getByRole("dialog", { name: "Command palette" }).getByRole("combobox");
      await has("the palette has the focus", box);
      await keys.type(name);
      await dialog.locator('[role=option][aria-selected="true"]').filter({ hasText: name }).waitFor();
      await keys.press("Enter");
      await gone(dialog);
    };
    /** Tab by Tab to a control. */
    const tabTo = async (control, key = "Tab") => {
      await control.waitFor();
      for (let i = 0; i < 40; i++) {
        if (await control.evaluate((e) => e === document.activeElement)) return;
        await keys.press(key);
      }
      assert.fail(`${key} does not lead to ${control}`);
    };
    /** With j, past whatever stands above. */
    const walkTo = async (id) => {
      for (let i = 0; i < 60 && !(await page.locator(`li[data-id="${id}"][data-here]`).isVisible()); i++) await keys.press("j");
      await here(id);
    };

    // The view of what is hers.
    await run("View: Mine");
    await heading("Mine");
    await walkTo(ids[0]);
    await keys.press("Enter");
    await heading("Errand 20 of the afternoon");

    // A colleague is there, and answers while she writes: she is stopped, reads it, and does not send.
    await tomas("PUT", `/requests/${ids[0]}/presence`, { tab: "of Tomas", doing: "writing" });
    await page.getByRole("img", { name: "Tomás is writing…" }).waitFor();
    await keys.press("r");
    await has("the reply has the focus", reply);
    await keys.insertText("Somebody will come.");
    await tomas("POST", `/requests/${ids[0]}/message`, { html_body: "<p>I have done it.</p>" });
    const composer = page.getByRole("region", { name: "Write a reply" });
    await composer.getByRole("status").getByText("Tomás").waitFor();
    await keys.press("ControlOrMeta+Enter");
    const stop = composer.getByRole("alert");
    await stop.waitFor();
    await tabTo(stop.getByRole("button", { name: "Read it" }), "Shift+Tab");
    await keys.press("Enter");
    await gone(stop);
    await until("his answer has the focus", () => page.evaluate(() => document.activeElement?.textContent.includes("I have done it.")));
    await keys.press("r");
    await has("the reply has the focus", reply);
    await keys.press("ControlOrMeta+a");
    await keys.press("Delete");
    await keys.press("Escape");
    await until("the editor is left", () => reply.evaluate((e) => e !== document.activeElement));
    assert.deepEqual(
      (await read(ids[0])).messages.slice(1).map((m) => m.text),
      ["I have done it."],
    );
    await tomas("PUT", `/requests/${ids[0]}/presence`, { tab: "of Tomas", doing: null });
    await gone(page.getByRole("img", { name: /^Tomás is/ }));

    // She is named elsewhere, and the keys lead her there.
    const { message } = await tomas("POST", `/requests/${ids[9]}/message`, { html_body: `<p><span data-user="${me.user.id}">@${me.user.name}</span> is this yours?</p>`, is_private: true });
    await page.getByRole("button", { name: /^Notifications: \d+ unread$/ }).waitFor();
    await pressInRow(page, "g", "n");
    const told = page.getByRole("dialog", { name: "Notifications" }).getByRole("link", { name: /^(Unread)?\s*Tomás.* mentioned you in a note/ });
    await tabTo(told.first());
    await keys.press("Enter");
    await heading("Errand 11 of the afternoon");
    await until("the message has the focus", () => page.evaluate((id) => document.activeElement?.id === id, `message-${message.id}`));

    // What cannot be done now is snoozed, and is back on top when the customer answers.
    await keys.press("Escape");
    await page.waitForURL(/\/requests(\?.*)?$/);
    await run("View: All open");
    await heading("All open");
    await walkTo(chat.id);
    await keys.press("h");
    await has("the list has the focus", dialog.getByRole("combobox"));
    await keys.type("customer");
    await dialog.locator("[role=option][data-at]").filter({ hasText: "Until the customer answers" }).waitFor();
    await keys.press("Enter");
    await row(chat.id).getByText("left this view").waitFor();
    await run("Refresh list");
    await gone(row(chat.id));
    await chat.answers("It squeaks louder now.");
    await page.getByRole("button", { name: /^\d+ new$/ }).waitFor();
    await run("Refresh list");
    await page
      .locator('li[data-id][aria-posinset="1"]')
      .getByText(/^Back: Oskar.* answered/)
      .waitFor();

    // Somebody calls.
    await keys.press("c");
    await has("the form has the focus", dialog.getByLabel("Customer’s email"));
    await keys.type("ines@harborpine.test");
    await keys.press("Tab");
    await keys.type("Called about the keys");
    await keys.press("Tab");
    await keys.type("She lost two of them.");
    await tabTo(dialog.getByRole("button", { name: "Create request" }));
    await keys.press("Enter");
    await heading("Called about the keys");
    const called = await until("it is there", async () => (await desk.api("GET", "/requests?limit=5")).requests.find((r) => r.title === "Called about the keys"));
    assert.equal(called.author_email, "ines@harborpine.test");

    // The rest is solved one after the other, and each time the next one opens. The last was a slip.
    await keys.press("Escape");
    await run("View: Mine");
    await heading("Mine");
    await walkTo(ids[0]);
    await keys.press("Enter");
    for (const [i, id] of ids.entries()) {
      await here(id);
      await heading(`Errand ${String(count - i).padStart(2, "0")} of the afternoon`);
      await keys.press("Shift+E");
      await until("the next one opens", () => page.evaluate((id) => document.querySelector("li[data-here]")?.dataset.id !== String(id), id));
    }
    await page.getByText("“Errand 01 of the afternoon” solved.").waitFor();
    await until("all are solved", async () => (await Promise.all(ids.map(read))).every((r) => r.state === "solved"));
    await keys.press("z");
    await until("the last is open again", async () => (await read(ids.at(-1))).state === "open");
    assert.equal(await page.evaluate(() => window.pointed), 0, "the mouse was needed");
  });
});
