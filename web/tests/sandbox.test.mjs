// The first five minutes of a newcomer: an account on a server that was started
// without any setting, the sandbox chosen, and a customer's message that becomes a
// request.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./app.mjs";
import { accessible, close, launch, withPage } from "./browser.mjs";

let desk;

before(async () => {
  const app = await start(["serve"], { ready: /(http\S+\/first-run\S*)\s/ });
  const first = new URL(app.url);
  desk = { ...app, url: first.origin, firstRun: first.pathname + first.hash };
  await launch();
});

after(async () => {
  await close();
  await desk?.stop();
});

test("a newcomer writes as a customer and sees the request", async () => {
  await withPage(
    desk,
    async (page) => {
      await page.goto(desk.firstRun);
      await page.getByLabel("Team or company name").fill("Globex");
      await page.getByLabel("Your name").fill("Mira Vance");
      await page.getByLabel("Email").fill("mira@globex.test");
      await page.getByLabel("Password").first().fill("correct horse battery");
      await page.getByRole("button", { name: "Create account" }).click();

      await page.getByRole("heading", { name: "Where do your customers write to you?" }).waitFor();
      await accessible(page, "the choice of a chat");
      // Who leaves the first steps finds them again: at the side, in the palette, and where there is nothing yet.
      const steps = page.getByRole("heading", { name: "Where do your customers write to you?" });
      await page.getByRole("link", { name: "Inbox" }).click();
      await page.getByRole("link", { name: "Connect a chat" }).click();
      await steps.waitFor();
      await page.getByRole("link", { name: "Insights" }).click();
      await page.getByRole("heading", { name: "Insights need a chat" }).waitFor();
      await accessible(page, "insights without a chat");
      await page.getByRole("link", { name: "Connect a chat" }).click();
      await steps.waitFor();
      await page.getByRole("link", { name: "Customers" }).click();
      await page.getByRole("heading", { name: "No customers yet" }).waitFor();
      await page.getByRole("link", { name: "First steps" }).click();
      await steps.waitFor();
      await page.getByRole("link", { name: "Customers" }).click();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill("first steps");
      await page.keyboard.press("Enter");
      await steps.waitFor();
      await page.getByRole("button", { name: "Try the sandbox" }).click();

      // As a customer, in the customer's channel.
      const box = page.getByLabel("Message #harbor-and-pine");
      await box.waitFor();
      assert.match(await page.getByRole("combobox", { name: "Acting as" }).inputValue(), /^Ines Duarte \(Harbor & Pine\)$/);
      await page.getByRole("note").getByText("Post a message here and watch the inbox").waitFor();
      await page.getByRole("region", { name: "Latest requests" }).getByText("None yet").waitFor();
      await accessible(page, "the sandbox");

      const text = "The *label printer* prints <nothing> since `7:00`, can you help?";
      await box.fill(text);
      await box.press("Enter");
      const log = page.getByRole("log", { name: "Messages in #harbor-and-pine" });
      const message = log.getByRole("article").filter({ hasText: "prints <nothing> since" });
      await message.waitFor();
      assert.equal(await message.locator("strong").innerText(), "label printer");
      assert.equal(await message.locator("code").innerText(), "7:00");

      // It becomes a request beside it, without a reload.
      const newest = page.getByRole("region", { name: "Latest requests" });
      const request = newest.getByRole("link", { name: /label printer/ });
      await request.waitFor();

      // A reaction, a change, a file and an answer in the thread.
      await message.hover();
      await message.getByRole("button", { name: "React to Ines Duarte" }).click();
      await page.getByRole("button", { name: "eyes", exact: true }).click();
      await message.getByRole("button", { name: "eyes, 1" }).getByText("👀").waitFor();
      await message.hover();
      await message.getByRole("button", { name: "Reply to Ines Duarte in a thread" }).click();
      const thread = page.getByRole("region", { name: "Thread" });
      await thread.getByLabel("Reply in thread").fill("It is the one at the dock");
      await thread.locator('input[type="file"]').setInputFiles({ name: "label.txt", mimeType: "text/plain", buffer: Buffer.from("text") });
      const sent = page.waitForRequest(/files\.completeUploadExternal/);
      await thread.getByRole("button", { name: "Send" }).click();
      const reply = thread.getByRole("article").filter({ hasText: "It is the one at the dock" });
      await reply.getByRole("button", { name: "Download label.txt" }).waitFor();
      await reply.hover();
      await reply.getByRole("button", { name: "Edit message" }).click();
      await thread.getByRole("textbox", { name: "Edit message" }).fill("It is the one at dock 4");
      await thread.getByRole("button", { name: "Save", exact: true }).click();
      await thread.getByText("It is the one at dock 4").waitFor();

      // An app of hers deletes the file, and writes Markdown.
      const share = new URLSearchParams((await sent).postData());
      const slack = async (method, args) => {
        const headers = { Authorization: (await sent).headers().authorization };
        const answer = await (await fetch(`${desk.url}/sandbox/api/${method}`, { method: "POST", headers, body: new URLSearchParams(args) })).json();
        assert.equal(answer.error, undefined, method);
        return answer;
      };
      await slack("files.delete", { file: JSON.parse(share.get("files"))[0].id });
      await thread.getByText("This file was deleted.").waitFor();
      await slack("chat.postMessage", {
        channel: share.get("channel_id"),
        thread_ts: share.get("thread_ts"),
        markdown_text: "# Dock 4\n\n- **rebooted**\n\n| Label | State |\n|---|---|\n| A4 | jammed |",
      });
      const markdown = thread.getByRole("article").filter({ hasText: "rebooted" });
      await markdown.waitFor();
      assert.deepEqual(await markdown.locator("strong").allInnerTexts(), ["Dock 4", "rebooted"]);
      assert.equal(await markdown.locator("pre").innerText(), "Label  State\nA4     jammed");
      await accessible(page, "a thread of the sandbox");

      // The team's side: the card in the triage channel, its form and its buttons.
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/sandbox.png` });
      await page.getByRole("combobox", { name: "Acting as" }).click();
      await page.getByRole("option", { name: /^Maya Lindqvist/ }).click();
      await page.getByRole("navigation", { name: "Channels" }).getByRole("button", { name: "support-triage" }).click();
      const card = page.getByRole("log", { name: "Messages in #support-triage" }).getByRole("article").filter({ hasText: "label printer" }).first();
      await card.getByRole("button", { name: "Edit" }).click();
      const form = page.getByRole("dialog");
      await form.getByLabel("Title").fill("Printer at the dock");
      await accessible(page, "a form of the sandbox");
      await form.locator('button[type="submit"]').click();
      await form.waitFor({ state: "hidden" });
      await newest.getByRole("link", { name: /Printer at the dock/ }).waitFor();

      // And in the inbox.
      await newest.getByRole("link", { name: /Printer at the dock/ }).click();
      await page.waitForURL(/\/requests\/[A-Z0-9]+-\d+/);
      await page
        .getByRole("heading", { name: /Printer at the dock/ })
        .first()
        .waitFor();
    },
    { signedIn: false },
  );
});

test("the sandbox is dark where people like it dark, and fits a phone", async () => {
  const signedIn = { ...desk, email: "mira@globex.test", password: "correct horse battery" };
  await withPage(
    signedIn,
    async (page) => {
      await page.goto("/sandbox");
      await page.getByRole("log").getByText("label printer").first().waitFor();
      await accessible(page, "the sandbox in dark on a phone");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `the page is ${wide} px wide`);
    },
    { colorScheme: "dark", viewport: { width: 390, height: 844 } },
  );
});
