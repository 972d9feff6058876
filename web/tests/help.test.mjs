// What a language model helps with: summaries, drafts and translations, which are marked,
// can be undone, and are never sent by themselves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, accessibleInBoth, close, launch, pressInRow, until, withPage } from "./browser.mjs";
import { startModel } from "./model.mjs";

let desk, model;
before(async () => {
  await launch();
  model = await startModel();
  desk = await startDemo({ env: { FRONTDESK_AI_URL: model.url, FRONTDESK_AI_MODEL: "stand-in" }, furnished: true });
});
after(async () => {
  await close();
  await desk?.stop();
  await model?.stop();
});

const editor = (page) => page.getByRole("textbox", { name: "Reply", exact: true });
const messages = async (id) => (await desk.api("GET", `/requests/${id}?include=messages`)).request.messages;

/** A request with the words of a customer. */
async function asked(title, description) {
  return Number((await desk.api("POST", "/requests", { title, description, requester_email: "ines@harborpine.test" })).request.id);
}

const open = async (page, id) => {
  await page.goto(`/requests/${id}`);
  await editor(page).waitFor();
};

/** Keeps a picture where one is wanted. */
const picture = async (page, name) => {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });
};

test("a summary stands above the conversation, marked, and can be closed", async () => {
  const id = await asked("The export stops", "The export of invoices stops at row 500.\n\nIt worked last week.");
  await desk.api("POST", `/requests/${id}/message`, { html_body: "Row 501 is empty.", is_private: true });
  await withPage(
    desk,
    async (page) => {
      await open(page, id);
      const panel = page.getByRole("region", { name: "Summary" });
      model.answer = () => ({
        html: '<p>The export stops at <strong>row 500</strong>.</p><ul><li>It worked last week.</li></ul><img src="https://evil.example/?q=1" alt=""><script>document.title="owned"</script>',
      });

      // It can be cancelled.
      const go = model.hold();
      await page.getByRole("button", { name: "Summarise", exact: true }).click();
      await panel.getByText("Reading the conversation…").waitFor();
      await accessible(page, "a summary that is coming");
      await panel.getByRole("button", { name: "Cancel" }).click();
      await panel.waitFor({ state: "detached" });
      go();

      // By its key, with what was read.
      await pressInRow(page, "w", "s");
      await panel.getByText("It worked last week.").waitFor();
      await panel.getByText(/Written by a model, .*It may be wrong\./).waitFor();
      await panel.getByText("The model read internal notes, too. Keep this within your team.").waitFor();
      assert.equal(await panel.locator("img, script").count(), 0);
      assert.ok(model.asked.some((a) => a.kind === "summary" && a.matter.language === "en-GB" && a.matter.conversation.some((m) => m.from === "internal note")));
      await accessibleInBoth(page, "a summary", (scheme) => picture(page, `summary-${scheme}`));

      // What is newer is said.
      await desk.api("POST", `/requests/${id}/message`, { html_body: "We look at it." });
      await panel.getByText("1 message is newer.").waitFor();
      model.answer = () => 500;
      await panel.getByRole("button", { name: "Summarise again" }).click();
      await panel.getByRole("alert").getByText("There is no summary. The language model could not be asked.").waitFor();
      await accessible(page, "a summary that failed");
      model.answer = () => ({ html: "<p>Somebody looks at it.</p>" });
      await panel.getByRole("button", { name: "Try again" }).click();
      await panel.getByText("Somebody looks at it.").waitFor();
      assert.equal(await panel.getByText("newer").count(), 0);
      await panel.getByRole("button", { name: "Close the summary" }).click();
      await panel.waitFor({ state: "detached" });
    },
    { expected: /503/ },
  );
});

test("a drafted reply has its sources, loses nothing that was typed, and is not sent by itself", async () => {
  const solved = await asked("Toner of the plotter is empty", "The toner of the plotter is empty. Call Ines Duarte, ines@harborpine.test.");
  await desk.api("POST", `/requests/${solved}/message`, { html_body: "Order the toner in the portal." });
  await desk.api("PATCH", `/requests/${solved}`, { state: "solved" });
  const { key } = (await desk.api("GET", `/requests/${solved}`)).request;
  await desk.api("POST", "/quick-replies", { name: "Toner <ordered>", html: "<p>We ordered your toner.</p>", shared: true });
  const id = await asked("Plotter: toner is empty again", "The toner of our plotter is empty.");
  await until("the solved one is found", async () => (await desk.api("GET", "/requests/search?query=plotter%20toner&state=solved")).requests.length > 0);
  await withPage(
    desk,
    async (page) => {
      await open(page, id);
      const panel = page.getByRole("region", { name: "Drafted reply" });
      model.answer = (_, { sources = [] }) => ({ html: "<p>Order the toner in the <a href='https://portal.example/'>portal</a>.</p>", sources: sources.map((s) => s.number) });

      // It is cancelled, and what fails says so.
      const go = model.hold();
      await page.getByRole("button", { name: "Draft a reply" }).click();
      await page.getByText("Writing a draft…").waitFor();
      await page.getByRole("button", { name: "Cancel", exact: true }).click();
      await page.getByText("Writing a draft…").waitFor({ state: "detached" });
      go();
      const { answer } = model;
      model.answer = () => ({ html: "" });
      await page.getByRole("button", { name: "Draft a reply" }).click();
      await page.getByText("There is no draft. The language model’s answer could not be used. Try again.").waitFor();
      model.answer = answer;
      await page.getByRole("button", { name: "Try again" }).click();

      // Its sources lead to where they are.
      await panel.getByText("Order the toner in the portal.").waitFor();
      assert.equal(await panel.getByRole("link", { name: "Toner of the plotter is empty" }).getAttribute("href"), `/requests/${key}`);
      assert.equal(await panel.getByRole("link", { name: "Toner <ordered>" }).getAttribute("href"), "/settings/quick-replies");
      const { matter } = model.asked.findLast((a) => a.kind === "draft");
      assert.doesNotMatch(JSON.stringify(matter), /Ines|Duarte|harborpine/);
      await accessibleInBoth(page, "a drafted reply", (scheme) => picture(page, `draft-${scheme}`));

      // It is inserted, marked until it is edited, also after a reload, and can be undone.
      await panel.getByRole("button", { name: "Insert", exact: true }).click();
      await page.getByText("The draft was inserted.").hover(); // so that it stays
      await editor(page).getByText("Order the toner in the portal.").waitFor();
      await panel.waitFor({ state: "detached" });
      const mark = page.getByText("Written by a model, and not edited. Read it before you send it.");
      await mark.waitFor();
      await page.getByRole("list", { name: "Sources of the draft" }).getByRole("link", { name: "Toner of the plotter is empty" }).waitFor();
      await picture(page, "draft-inserted");
      await accessible(page, "a draft that was inserted");
      await page.getByRole("button", { name: "Undo" }).click();
      await until("the text is empty", async () => (await editor(page).innerText()).trim() === "");
      await mark.waitFor({ state: "detached" });

      // What was typed stays above it, or comes back.
      await editor(page).pressSequentially("Dear Sam,");
      await page.keyboard.press("ControlOrMeta+j");
      await panel.getByRole("button", { name: "Insert below" }).click();
      await until("both are there", async () => /Dear Sam,\s+Order the toner/.test(await editor(page).innerText()));
      await mark.waitFor();
      await page.reload();
      await mark.waitFor();
      await editor(page).focus();
      await page.keyboard.press("End");
      await editor(page).pressSequentially(" Sincerely");
      await mark.waitFor({ state: "detached" });
      await page.keyboard.press("ControlOrMeta+j");
      await panel.getByRole("button", { name: "Replace your text" }).click();
      await until("it is replaced", async () => !/Sam/.test(await editor(page).innerText()));
      await editor(page).pressSequentially(" Bye");
      await page.getByText("The draft replaced your text.").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await until("nothing is lost", async () => /Dear Sam,[^]*Sincerely[^]*Bye/.test(await editor(page).innerText()));

      // A note is for the team: a model does not write it. And nothing was sent.
      await page.getByText("Internal note", { exact: true }).click();
      await page.getByRole("button", { name: "Draft a reply" }).waitFor({ state: "detached" });
      assert.equal((await messages(id)).length, 1);
    },
    { expected: /503/ },
  );
});

test("a message is translated below the original, and a reply into the customer’s language", async () => {
  const id = await asked("Der Export hält an", "Der Export hält bei Zeile 500 an.");
  await withPage(
    desk,
    async (page) => {
      await open(page, id);
      model.answer = (_, { html, language }) =>
        language ? { html: "<p>The export stops at row 500.</p>", language, from: "de" } : { html: html.replace("It is repaired.", "Es ist repariert."), language: "de", from: "en" };
      const article = page.getByRole("article").filter({ hasText: "Der Export hält bei Zeile 500 an." });

      // By the key, and by the button, which hides it again.
      const go = model.hold();
      await pressInRow(page, "w", "t");
      await article.getByText("Translating…").waitFor();
      go();
      await article.getByText("The export stops at row 500.").waitFor();
      await article.getByText("Translated from German by a model. It may be wrong.").waitFor();
      await accessibleInBoth(page, "a translated message", (scheme) => picture(page, `translation-${scheme}`));
      await article.getByRole("button", { name: "Hide translation" }).click();
      await article.getByText("The export stops at row 500.").waitFor({ state: "detached" });
      await article.getByRole("button", { name: "Show translation" }).click();
      await article.getByText("The export stops at row 500.").waitFor();

      // One's own text, with undo.
      await editor(page).pressSequentially("It is repaired.");
      await page.getByRole("button", { name: "Translate", exact: true }).last().click();
      await editor(page).getByText("Es ist repariert.").waitFor();
      assert.deepEqual(model.asked.at(-1).matter.sample, ["Der Export hält bei Zeile 500 an."]);
      await page.getByText("Translated into German by a model. Read it before you send it.").waitFor();
      await page.getByText("Written by a model, and not edited.").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await editor(page).getByText("It is repaired.").waitFor();

      // What is typed meanwhile stays, and so does everything when it fails.
      const later = model.hold();
      await page.keyboard.press("ControlOrMeta+Shift+l");
      await page.getByRole("button", { name: "Cancel translation" }).waitFor();
      await editor(page).focus();
      await page.keyboard.press("End");
      await editor(page).pressSequentially(" Really.");
      later();
      await page.getByText("You kept writing, so your text was left as it is.").waitFor();
      await editor(page).getByText("It is repaired. Really.").waitFor();
      model.answer = () => 500;
      await page.getByRole("button", { name: "Translate", exact: true }).last().click();
      await page.getByText(/could not be asked.*Your text was left as it is\./).waitFor();
      await editor(page).getByText("It is repaired. Really.").waitFor();

      // Cancelled, it says nothing.
      const never = model.hold();
      await page.getByRole("button", { name: "Translate", exact: true }).last().click();
      await page.getByRole("button", { name: "Cancel translation" }).click();
      await page.getByRole("button", { name: "Cancel translation" }).waitFor({ state: "detached" });
      never();

      // And sent, it is a text like any other.
      model.answer = () => ({ html: "<p>Es ist wirklich repariert.</p>", language: "de", from: "en" });
      await page.getByRole("button", { name: "Translate", exact: true }).last().click();
      await editor(page).getByText("Es ist wirklich repariert.").waitFor();
      assert.equal((await messages(id)).length, 1);
      await page.keyboard.press("ControlOrMeta+Enter");
      await page.getByText("Written by a model, and not edited.").waitFor({ state: "detached" });
      await until("it is sent", async () => (await messages(id)).at(-1).text === "Es ist wirklich repariert.");
    },
    { expected: /503/ },
  );
});

test("it is there on a phone", async () => {
  const id = await asked("Der Bus hält nicht", "Der Bus hält nicht.");
  await withPage(
    desk,
    async (page) => {
      await open(page, id);
      model.answer = (kind) =>
        kind === "translation" ? { html: "<p>The bus does not stop.</p>", from: "de", language: "en" } : { html: "<p>The bus passes by, and nobody knows why.</p>", sources: [] };
      await page.getByRole("button", { name: "Summarise", exact: true }).click();
      await page.getByRole("region", { name: "Summary" }).getByText("nobody knows why").waitFor();
      await picture(page, "phone-summary");
      await accessible(page, "a summary on a phone");
      await page.getByRole("button", { name: "Close the summary" }).click();
      await page.getByRole("article").getByRole("button", { name: "Translate", exact: true }).click();
      await page.getByText("The bus does not stop.").waitFor();
      await page.getByRole("button", { name: "Draft a reply" }).click();
      await page.getByText("No quick replies or solved requests were used.").waitFor();
      await picture(page, "phone-draft");
      await accessible(page, "a draft on a phone");
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0);
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});

test("the palette has it, and without a model nothing does", async () => {
  const commands = async (page, at) => {
    await open(page, at);
    await page.keyboard.press("ControlOrMeta+k");
    const palette = page.getByRole("dialog");
    await palette.getByRole("combobox").fill("summarise");
    return palette;
  };
  const id = await asked("One more", "One more.");
  await withPage(desk, async (page) => {
    model.answer = () => ({ html: "<p>One more, in short.</p>" });
    const palette = await commands(page, id);
    await palette.getByRole("option", { name: /Summarise this request/ }).click();
    await page.getByText("One more, in short.").waitFor();
  });

  const plain = await startDemo();
  try {
    const other = (await plain.api("POST", "/requests", { title: "Plain", description: "Plain." })).request.id;
    await withPage(plain, async (page) => {
      const palette = await commands(page, other);
      await palette.getByText(/^No /).waitFor();
      await page.keyboard.press("Escape");
      await editor(page).pressSequentially("A text");
      for (const name of ["Summarise", "Translate", "Draft a reply"]) assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
      await pressInRow(page, "w", "s");
    });
  } finally {
    await plain.stop();
  }
});
