// Mail: a collection gets an address, customers write to it and are answered, and what
// goes wrong on the way is said.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, accessibleInBoth, close, launch, openInbox, until, withPage } from "./browser.mjs";
import { deliver, freePort, startRelay } from "./post.mjs";

let desk, relay, port, collection;

const domain = "reply.desk.test";
const help = `help@${domain}`;

before(async () => {
  [relay, port] = await Promise.all([startRelay(), freePort()]);
  const env = { FRONTDESK_MAIL_RELAY: relay.url, FRONTDESK_MAIL_DOMAIN: domain, FRONTDESK_MAIL_LISTEN: `127.0.0.1:${port}`, FRONTDESK_MAIL_AUTHSERV: "mx.desk.test" };
  [desk] = await Promise.all([startDemo({ env }), launch()]);
  ({ collection } = await desk.api("POST", "/collections", { name: "Mail", kind: "email", email_config: { address: help, from_name: "Acme Help", signature_html: "<p>Acme, at your service</p>" } }));
});

after(async () => {
  await close();
  await desk?.stop();
  await relay?.stop();
});

let letters = 0;

/** Somebody writes. `passed` says what the mail server in front of the desk found out about the sender. */
async function write(subject, { from = "Oskar Lind <oskar@harbor.test>", to = help, cc, body = "The gate does not open.", passed = true, ...head } = {}) {
  const bare = /<(.*)>/.exec(from)?.[1] ?? from;
  const result = passed !== null && `mx.desk.test; dmarc=${passed ? "pass" : "fail"} (p=${passed ? "none" : "reject"}) header.from=${bare.split("@")[1]}`;
  await deliver(port, {
    from: bare,
    to,
    head: {
      "Authentication-Results": result,
      From: from,
      To: to,
      ...(cc && { Cc: cc }),
      Subject: subject,
      Date: new Date().toUTCString(),
      "Message-ID": `<${++letters}.${port}@customers.test>`,
      ...head,
    },
    body,
  });
}

const rows = async (query = "") => (await desk.api("GET", `/requests?collection_id=${collection.id}${query}`)).requests;
const read = async (id) => (await desk.api("GET", `/requests/${id}?include=messages`)).request;

/** The request that a mail with this subject became. */
async function asked(subject, about) {
  await write(subject, about);
  const state = about?.passed === false ? "&state=none" : "";
  return (await until(`a request “${subject}”`, async () => (await rows(state)).find((r) => r.title === subject))).id;
}

/** Opens a request as somebody who cannot take messages back, and so need not wait for them. */
const on = (run, options) =>
  withPage(
    desk,
    async (page, context) => {
      await page.addInitScript(() => localStorage.setItem("frontdesk.preferences", JSON.stringify({ undoSeconds: 0 })));
      await run(page, context);
    },
    options,
  );

const log = (page) => page.getByRole("log", { name: "Conversation" });
const editor = (page) => page.getByRole("textbox", { name: "Reply", exact: true });

async function reply(page, text) {
  await editor(page).click();
  await page.keyboard.insertText(text);
  await page.keyboard.press("ControlOrMeta+Enter");
}

test("a customer writes, is answered with a copy to somebody else, and both see a mail program's mail", async () => {
  await on(async (page) => {
    await openInbox(page);
    const id = await asked("The gate at dock 4", {
      cc: "Ida Berg <ida@harbor.test>, Eve <eve@elsewhere.test>",
      body: "The gate does not open.\n\nOn 3 May 2026 at 10:00, Acme Help <help@reply.desk.test> wrote:\n> Which gate is it?\n",
    });
    await page.getByRole("button", { name: /^\d+ new$/ }).click();
    const row = page.locator(`li[data-id="${id}"]`);
    await row.getByRole("img", { name: "By mail" }).waitFor();
    await row.getByRole("link").click();

    // Who wrote is shown with their address, and what they quoted is folded away.
    const asking = log(page).getByRole("article", { name: "Message" });
    await asking.getByText("Oskar Lind", { exact: true }).waitFor();
    await asking.getByText("oskar@harbor.test", { exact: true }).waitFor();
    assert.equal(await asking.getByText("Which gate is it?").count(), 0);
    await asking.getByRole("button", { name: "Show whole mail" }).click();
    const whole = page.getByRole("dialog", { name: "Whole mail" });
    await whole.getByText("Which gate is it?").waitFor();
    assert.equal(await whole.getByRole("link", { name: "Download source" }).getAttribute("href"), `/v1/rest/messages/${(await read(id)).messages[0].id}/email/source`);
    await accessible(page, "a whole mail");
    await page.keyboard.press("Escape");

    // The reply box says that it goes by mail, and to whom.
    const recipients = page.getByRole("group", { name: "Recipients" });
    await recipients.getByRole("list", { name: "To" }).getByText("Oskar Lind <oskar@harbor.test>").waitFor();
    await recipients.getByRole("list", { name: "Cc" }).getByText("Ida Berg <ida@harbor.test>").waitFor();
    await page.getByText("Goes by mail to oskar@harbor.test and 2 others").waitFor();
    await recipients.getByRole("button", { name: "Remove eve@elsewhere.test" }).click();
    await page.getByText("eve@elsewhere.test no longer gets answers.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await recipients.getByText("Eve <eve@elsewhere.test>").waitFor();
    await recipients.getByRole("button", { name: "Remove eve@elsewhere.test" }).click();
    await recipients.getByText("Eve <eve@elsewhere.test>").waitFor({ state: "hidden" });

    // An address that is none is refused before it is sent.
    await recipients.getByRole("button", { name: "Add Cc" }).click();
    const adding = recipients.getByRole("textbox", { name: "Add to Cc" });
    await adding.fill("per, Per <per@harbor.test>");
    await adding.press("Enter");
    await recipients.getByText("“per” is not an email address.").waitFor();
    await recipients.getByText("Per <per@harbor.test>").waitFor();
    await adding.press("Escape");
    await recipients.getByRole("button", { name: "Add Cc" }).waitFor();
    await accessibleInBoth(page, "a request by mail");

    // The preview is what is sent.
    await editor(page).click();
    await page.keyboard.insertText("Please pull the red lever.");
    await page.getByRole("button", { name: "Preview mail" }).click();
    const preview = page.getByRole("dialog", { name: "Preview of the mail" });
    for (const text of ["Re: The gate at dock 4", "Acme Help <help@reply.desk.test>", "Please pull the red lever.", "Acme, at your service", "Oskar Lind wrote:", "The gate does not open."])
      await preview.getByText(text).first().waitFor();
    await accessible(page, "the preview of a mail");
    await page.keyboard.press("Escape");
    await preview.waitFor({ state: "hidden" });
    await editor(page).click();
    await page.keyboard.press("ControlOrMeta+Enter");
    await log(page).getByText("Mail sent to oskar@harbor.test, ida@harbor.test and per@harbor.test").waitFor();
    assert.deepEqual(relay.mails.map((m) => m.to).sort(), ["ida@harbor.test", "oskar@harbor.test", "per@harbor.test"]);
    const [mail] = relay.mails;
    for (const part of [/^Subject: Re: The gate at dock 4\r$/m, /^From: "?Acme Help"? <help@reply\.desk\.test>\r$/m, /^To: .*<oskar@harbor\.test>\r$/m, /red lever/, /at your service/])
      assert.match(mail.data, part);

    // The answer comes back into the thread by itself.
    const back = /^Reply-To: .*<(.*)>\r$/m.exec(relay.mails.find((m) => m.to === "ida@harbor.test").data)[1];
    await write("Re: The gate at dock 4", { from: "Ida Berg <ida@harbor.test>", to: back, body: "The lever is blue." });
    const answer = log(page).getByRole("article", { name: "Message" }).filter({ hasText: "The lever is blue." });
    await answer.getByText("Ida Berg", { exact: true }).waitFor();

    // Who has the address, but takes no part, is let in only by a person.
    await write("Re: The gate at dock 4", { from: "Kim <kim@strangers.test>", to: back, body: "I am the new one." });
    const stranger = log(page).getByRole("article", { name: "Unverified mail" });
    await stranger.getByText("I am the new one.").waitFor();
    await stranger.getByRole("checkbox", { name: "Add kim@strangers.test as a participant" }).check();
    await stranger.getByRole("button", { name: "Accept" }).click();
    await stranger.waitFor({ state: "hidden" });
    await recipients.getByRole("list", { name: "Cc" }).getByText("kim@strangers.test").waitFor();

    // A note never goes by mail.
    await page.getByRole("radiogroup", { name: "Message type" }).getByText("Internal note").click();
    await page.getByText("Only your team sees this. Notes are never sent by mail").waitFor();
    assert.equal(await recipients.count(), 0);
  });
});

test("a colleague's note comes into an open thread by itself, and makes the request unread elsewhere", async () => {
  const [open, other] = [await asked("The crane is slow"), await asked("The crane is loud")];
  const back = /^Reply-To: .*<(.*)>\r$/m.exec((await answered(other)).data)[1]; // who answers has read it
  await on(async (page) => {
    await openInbox(page);
    await page.locator(`li[data-id="${open}"]`).getByRole("link").click();
    await log(page).getByText("The gate does not open.").waitFor();
    await desk.api("POST", `/requests/${open}/message`, { html_body: "It needs oil.", is_private: true });
    await log(page).getByRole("article", { name: "Internal note", exact: true }).getByText("It needs oil.").waitFor();
    const unread = page.locator(`li[data-id="${other}"]`).getByRole("img", { name: "Unread" });
    assert.equal(await unread.count(), 0);
    await write("Re: The crane is loud", { from: "Kim <kim@strangers.test>", to: back, body: "Me too." });
    await unread.waitFor();
  });
});

/** The mail of an answer. */
async function answered(id) {
  const before = relay.mails.length;
  await desk.api("POST", `/requests/${id}/message`, { html_body: "We look." });
  return until("an answer", () => relay.mails[before]);
}

test("the list shows, without a reload, that a mail did not arrive", async () => {
  const id = await asked("The scale is slow", { from: "Ines <ines@pine.test>" });
  await on(async (page) => {
    await openInbox(page);
    const row = page.locator(`li[data-id="${id}"]`);
    await row.getByRole("img", { name: "By mail" }).waitFor();
    relay.refused.add("ines@pine.test");
    const { message } = await desk.api("POST", `/requests/${id}/message`, { html_body: "Which one?" });
    const failed = row.getByRole("img", { name: "A mail was not delivered" });
    await failed.waitFor();
    await accessibleInBoth(page, "a list with a mail that failed");
    relay.refused.clear();
    await desk.api("POST", `/messages/${message.id}/email/retry`);
    await row.getByRole("img", { name: "By mail" }).waitFor();
    assert.equal(await failed.count(), 0);
    relay.lost.add("ines@pine.test");
    await desk.api("POST", `/requests/${id}/message`, { html_body: "And since when?" });
    await row.getByRole("img", { name: "A mail may not have been sent" }).waitFor();
    relay.lost.clear();
  });
});

test("a reply promises a mail only where one is sent", async () => {
  const make = async (more) => (await desk.api("POST", "/requests", { description: "How do I park?", ...more })).request.id;
  const [mailed, unmailed] = [await make({ requester_email: "zoe@park.test" }), await make({})];
  await on(async (page) => {
    await page.goto(`/requests/${mailed}`);
    await page.getByText("Goes by mail to zoe@park.test").waitFor();
    const listed = page.waitForResponse((r) => r.url().endsWith(`/requests/${unmailed}/participants`));
    await page.goto(`/requests/${unmailed}`);
    await listed;
    await editor(page).waitFor();
    assert.equal(await page.getByText(/by mail/).count(), 0);
    assert.equal(await page.getByRole("group", { name: "Recipients" }).count(), 0);
  });
});

test("what did not arrive is said with what to do, and is sent again", async () => {
  const id = await asked("The scale shows nothing", { from: "Ines <ines@pine.test>" });
  relay.refused.add("ines@pine.test");
  await on(async (page) => {
    await page.goto(`/requests/${id}`);
    await reply(page, "Which scale?");
    await log(page)
      .getByText(/The mail to ines@pine\.test was not delivered\..*No such mailbox here/)
      .waitFor();
    await log(page).getByRole("button", { name: "Mail not delivered to ines@pine.test" }).click();
    await log(page)
      .getByText(/^ines@pine\.test: not delivered/)
      .waitFor();
    await accessibleInBoth(page, "a mail that failed");
    relay.refused.clear();
    await log(page).getByRole("button", { name: "Send again" }).click(); // nobody has it, so nobody is asked
    await log(page).getByText("Mail sent to ines@pine.test").waitFor();

    // Where the relay hung up, nobody knows: it may be doubled, and that is asked first.
    relay.lost.add("ines@pine.test");
    await reply(page, "And since when?");
    await log(page)
      .getByText(/The mail to ines@pine\.test may not have been sent/)
      .waitFor();
    relay.lost.clear();
    await log(page).getByRole("button", { name: "Send again" }).click();
    const question = page.getByRole("dialog", { name: "Send this mail again?" });
    await question.getByText(/would then get it twice/).waitFor();
    await accessible(page, "the question before a mail is sent twice");
    await question.getByRole("button", { name: "Send again" }).click();
    await question.waitFor({ state: "hidden" });
    await until("it is sent", async () => (await read(id)).messages.every((m) => m.email.status !== "perhaps_sent" && m.email.status !== "waiting"));
    await log(page).getByText("Mail sent to ines@pine.test").nth(1).waitFor();
  });
});

test("mail of which nothing shows who wrote it stays apart until somebody accepts it", async () => {
  const id = await asked("Change my bank account", { from: "Oskar Lind <oskar@harbor.test>", passed: false, body: "Pay to this account from now on." });
  await on(async (page) => {
    await page.goto("/requests");
    await page.locator("li[data-id]").first().waitFor();
    assert.equal(await page.locator(`li[data-id="${id}"]`).count(), 0, "it is among the requests");
    await page.getByRole("button", { name: "View: All open" }).click();
    await page.getByRole("menuitem", { name: "Mail to check: Mail" }).click();
    await page.locator(`li[data-id="${id}"]`).getByRole("link").click();
    const mail = log(page).getByRole("article", { name: "Unverified mail" });
    await mail.getByText("Nothing proves that oskar@harbor.test wrote this.").waitFor();
    await accessibleInBoth(page, "unverified mail");
    await page.getByText("Goes by mail to oskar@harbor.test, who is not verified").waitFor();
    await mail.getByRole("button", { name: "Accept" }).click();
    await page.getByText("Mail accepted.").waitFor();
    await log(page).getByRole("article", { name: "Message" }).getByText("Pay to this account from now on.").waitFor();
    assert.equal((await read(id)).state, "open");
  });
});

test("on a phone, a request by mail can be read, and who was only named in it is let in", async () => {
  const id = await asked("The pallet is stuck", {
    passed: null, // nothing is known of the sender, so nobody gets mail by their word alone
    cc: "ida@harbor.test, zoe@elsewhere.test, a-very-long-local-part-of-an-address@a-very-long-name-of-a-company.harbor.test",
  });
  await on(
    async (page) => {
      await page.goto(`/requests/${id}`);
      await page.getByRole("group", { name: "Recipients" }).getByText("ida@harbor.test").waitFor();
      await log(page)
        .getByRole("button", { name: /^By mail to/ })
        .click();
      await accessibleInBoth(page, "a request by mail on a phone");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "the page is wider than the phone");
      const named = page.getByRole("list", { name: "Gets no mail yet" });
      await named.getByRole("button", { name: "Let in zoe@elsewhere.test" }).click();
      await page.getByRole("list", { name: "Cc" }).getByText("zoe@elsewhere.test").waitFor();
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true },
  );
});

const section = (page, title) => page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: title, exact: true }) });

/** Brings a test mail back, as the mail server of the address would. */
async function forward(to) {
  const { data } = await until("a test mail", () => relay.mails.find((m) => m.to === to));
  const [head, ...body] = data.split("\r\n\r\n");
  const headers = Object.fromEntries(
    head
      .replaceAll(/\r\n\s+/g, " ")
      .split("\r\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  const { collections } = await desk.api("GET", "/collections");
  const inbound = collections.find((c) => c.email_config?.address === to).email_config.inbound_address;
  await deliver(port, { from: "forwarder@acme.test", to: inbound, head: headers, body: body.join("\r\n\r\n") });
}

test("an address is set up, tested and verified, and its records are there to copy", async () => {
  await on(
    async (page) => {
      await page.goto("/settings/collections");
      await page.getByRole("button", { name: "New collection" }).click();
      const making = page.getByRole("dialog", { name: "New collection" });
      await making.getByLabel("Name").fill("Billing");
      await making.getByRole("radio", { name: "Email" }).check();
      await making.getByLabel("Address").fill(help);
      await making.getByRole("button", { name: "Create collection" }).click();
      await making.getByText("This email address is already the address of a collection on this server.", { exact: false }).waitFor(); // the address is taken
      await making.getByLabel("Address").fill("");
      await making.getByRole("button", { name: "Create collection" }).click();
      await page.getByRole("heading", { level: 1, name: "Billing", exact: true }).waitFor();

      const address = section(page, "Email address");
      await address.getByRole("textbox", { name: "Address" }).fill("billing@acme.test");
      await address.getByRole("button", { name: "Set up mail" }).click();
      await address.getByText("Not verified yet").waitFor();
      await address.getByText(`no-reply@${domain}`, { exact: false }).waitFor();
      await page.getByRole("textbox", { name: "Forwarding address" }).getByText(`@${domain}`).waitFor();

      // The mail comes back, and then the address is the account's.
      await address.getByRole("button", { name: "Send a test email" }).click();
      await address.getByText("Waiting for it to come back…").waitFor();
      await forward("billing@acme.test");
      await address.getByText("Replies are sent as billing@acme.test.", { exact: false }).waitFor();
      await address.getByText("Verified", { exact: true }).waitFor();

      const records = page.getByRole("list", { name: "DNS records" });
      await records.getByRole("button", { name: "Copy: Value" }).first().waitFor();

      // What goes out, each saved by itself.
      const out = section(page, "Outgoing mail");
      await out.getByLabel("Sender name").fill("Acme Billing");
      await out.getByLabel("Sender name").press("Enter");
      await out.getByText("Saved").waitFor();
      await out.getByLabel("Signature").fill("Acme Billing\nOpen from 9 to 5");
      await out.getByLabel("Signature").blur();
      await out.getByText("Saved").nth(1).waitFor();
      await out.getByRole("switch", { name: "Reply to new requests automatically" }).click();
      await out.getByLabel("Automatic reply").getByText("Thank you for your email.", { exact: false }).waitFor();

      // A mailbox; its password is never shown.
      await page.getByRole("button", { name: "Connect a mailbox" }).click();
      const box = page.getByRole("dialog", { name: "Connect a mailbox" });
      await box.getByLabel("IMAP server").fill("imap.acme.test");
      await box.getByRole("textbox", { name: "Password" }).fill("correct horse");
      await accessible(page, "the form of a mailbox");
      await box.getByRole("button", { name: "Connect" }).click();
      await page.getByText("billing@acme.test on imap.acme.test:993").waitFor();
      await page.getByRole("button", { name: "Change mailbox" }).click();
      const changing = page.getByRole("dialog", { name: "Change mailbox" });
      assert.equal(await changing.getByRole("textbox", { name: "Password" }).inputValue(), "");
      await changing.getByLabel("Folder").fill("Support");
      await changing.getByRole("button", { name: "Save" }).click();
      await page.getByText("Support", { exact: true }).waitFor();

      const id = Number(page.url().match(/\d+$/)[0]);
      const { email_config: now } = (await desk.api("GET", `/collections/${id}`)).collection;
      assert.equal(now.from_name, "Acme Billing");
      assert.equal(now.signature_html, "<p>Acme Billing<br>Open from 9 to 5</p>");
      assert.deepEqual([now.verified, now.auto_reply.enabled, now.mailbox.folder], [true, true, "Support"]);
      await accessibleInBoth(page, "a collection for mail");
      await page.setViewportSize({ width: 390, height: 844 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "the page is wider than a phone");
      await accessible(page, "a collection for mail on a phone");
      await page.setViewportSize({ width: 1440, height: 900 });

      // All other collections write as one of them.
      await page.goto("/settings/account");
      const mail = section(page, "Mail");
      await mail.getByRole("combobox", { name: "Reply by email as" }).click();
      await page.getByRole("option", { name: "Billing <billing@acme.test>" }).click();
      await mail.getByText("Saved").waitFor();
      assert.equal((await desk.api("GET", "/account")).account.email_collection_id, id);
      await accessible(page, "the mail of an account");
    },
    { expected: /409/ },
  );
});
