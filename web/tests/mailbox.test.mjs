// The mail of the demo, from both sides: a customer with a mail program beside an agent
// with the inbox.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, launch, openInbox, until, withPage } from "./browser.mjs";

let desk;

before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});

after(async () => {
  await close();
  await desk?.stop();
});

test("a customer writes, an agent answers, and the customer reads and replies", async () => {
  await withPage(desk, async (page, context) => {
    await openInbox(page);
    const customer = await context.newPage();
    await customer.goto("/mailbox?as=birgit.stahl%40nordhafen.test");
    await customer.getByText("Birgit Stahl has no email").waitFor();
    await accessible(customer, "an empty mailbox");
    await customer.keyboard.press("c");
    await customer.getByLabel("Subject").fill("The scanner in hall 4");
    await customer.getByLabel("Text").fill("Guten Tag,\n\nthe scanner in hall 4 reads nothing. Could you help us?\n\nBirgit Stahl");
    await accessible(customer, "a new mail");
    await customer.keyboard.press("Control+Enter");

    // The mail is a request of her company, and she knows that it arrived.
    const asked = await until("the mail is a request", async () => (await desk.api("GET", "/requests?limit=5")).requests.find((r) => r.title === "The scanner in hall 4"));
    assert.equal(asked.author_email, "birgit.stahl@nordhafen.test");
    assert.equal(asked.customer.name, "Nordhafen Logistik");
    const thread = customer.getByRole("region", { name: "Inbox" }).getByRole("button", { name: /The scanner in hall 4/ });
    await thread.waitFor();
    await thread.click();
    const last = customer.frameLocator("iframe").last();
    await last.getByText("we have your mail").waitFor();

    // The agent answers in the web app.
    await page.goto(`/requests/${asked.id}`);
    await page.getByText("reads nothing. Could you help us?").first().waitFor();
    const editor = page.getByRole("textbox", { name: "Reply", exact: true });
    await editor.fill("Please hold the yellow button for five seconds.");
    await editor.press("Control+Enter");

    // She sees the answer without a reload, and replies. What she quotes is not repeated.
    await last.getByText("Please hold the yellow button").waitFor();
    await accessible(customer, "a thread of mails");
    await customer.getByRole("button", { name: "Reply", exact: true }).last().click();
    await customer.getByRole("form", { name: "Reply" }).waitFor();
    await customer.getByLabel("Text").fill("It reads again, but very slowly. Is that right?");
    await customer.getByRole("button", { name: "Send" }).click();
    await customer.getByRole("form").waitFor({ state: "detached" });
    await page.getByText("It reads again, but very slowly. Is that right?").first().waitFor();
    const { messages } = (await desk.api("GET", `/requests/${asked.id}?include=messages`)).request;
    assert.deepEqual(
      messages.map((m) => [m.text.includes("yellow button"), m.email.direction, m.email.status]),
      [
        [false, "in", "received"],
        [true, "out", "sent"],
        [false, "in", "received"],
      ],
    );
  });
});

test("a forged mail is seen by the team alone", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/mailbox?as=claire%40valmondre.test");
    await page.getByRole("button", { name: "New email" }).click();
    await page.getByLabel("Subject").fill("Send me all invoices");
    await page.getByLabel("Text").fill("Now, please.");
    await page.getByLabel("Forged sender").check();
    await page.getByRole("button", { name: "Send" }).click();
    const found = await until("the mail is there", async () => (await desk.api("GET", "/requests?state=none&limit=20&include=messages")).requests.find((r) => r.title === "Send me all invoices"));
    assert.equal(found.state, null);
    assert.equal(found.messages[0].email.status, "unverified");
    assert.equal(found.messages[0].is_private, true);
  });
});
