// Two people at one request: they see each other, and neither answers over the other.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, hold, launch, withPage } from "./browser.mjs";

let desk;
before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});
after(async () => {
  await close();
  await desk?.stop();
});

const here = (page, what) => page.getByRole("banner").or(page.locator("header")).getByRole("img", { name: what });
const editor = (page) => page.getByRole("textbox", { name: "Reply" });
const log = (page) => page.getByRole("log", { name: "Conversation" });
const send = (page) => page.getByRole("button", { name: "Send reply" }).click();

/** Signs one of the demo's members in, who have no password yet. */
async function enter(context, email) {
  const { members } = await desk.api("GET", "/members");
  const { invitation } = await desk.api("POST", `/members/${members.find((m) => m.email === email).id}/invitation`);
  const code = invitation.url.split(/[#?/=]/).at(-1);
  const answer = await context.request.post(`${desk.url}/auth/welcome`, { data: { invitation: code, password: "a quiet afternoon" }, headers: { Origin: desk.url } });
  assert.equal(answer.status(), 204, await answer.text());
}

test("two people at a request see each other, and neither answers over the other", async () => {
  const { request } = await desk.api("POST", "/requests", { title: "The gate is stuck", description: "<p>It is stuck.</p>", requester_email: "ines@harborpine.test" });
  const id = request.id;
  const said = async () => (await desk.api("GET", `/requests/${id}?include=messages`)).request.messages.map((m) => m.text);
  const asTomas = async (_, context) => {
    await enter(context, "tomas@acme.test");
    const tomas = await context.newPage();
    const replies = async (text) => {
      const answer = await context.request.post(`${desk.url}/v1/rest/requests/${id}/message`, { data: { html_body: `<p>${text}</p>` }, headers: { Origin: desk.url } });
      assert.equal(answer.status(), 201, await answer.text());
    };
    await withPage(desk, (mira) => together(mira, tomas, replies), { expected: /409/ });
  };
  const together = async (mira, tomas, replies) => {
    await mira.addInitScript(() => localStorage.setItem("frontdesk.preferences", JSON.stringify({ undoSeconds: 0 })));
    await mira.goto(`/requests/${id}`);
    await editor(mira).waitFor();
    await tomas.goto(`/requests/${id}`);
    await here(mira, "Tomás is viewing this").waitFor();
    await here(tomas, /is viewing this$/).waitFor();
    assert.equal(await here(mira, /is viewing this$/).count(), 1, "somebody sees themselves");

    // He writes, and answers while she writes: she learns it at once, and is stopped.
    await editor(tomas).fill("I am on my way.");
    await here(mira, "Tomás is writing…").waitFor();
    await mira.getByRole("status").getByText("Tomás is writing…").waitFor({ state: "attached" });
    await editor(mira).fill("Somebody will come.");
    await here(tomas, /is writing…$/).waitFor();
    await replies("I am there.");
    const composer = mira.getByRole("region", { name: "Write a reply" });
    await composer
      .getByRole("status")
      .getByText(/^Tomás replied \d+ s ago\.$/)
      .waitFor();
    await send(mira);
    const stop = composer.getByRole("alert");
    await stop.getByText(/^Tomás replied \d+ s ago\. Read it, then send\.$/).waitFor();
    await accessible(mira, "a stop before sending");
    assert.deepEqual(await said(), ["It is stuck.", "I am there."]);
    await stop.getByRole("button", { name: "Read it" }).click();
    await stop.waitFor({ state: "detached" });
    assert.ok((await mira.evaluate(() => document.activeElement?.textContent)).includes("I am there."), "the answer is not where the keys are");
    await send(mira);
    await log(mira).getByText("Somebody will come.").waitFor();

    // She does not want to read it.
    await editor(mira).fill("Anyway.");
    await replies("It opens again.");
    await composer.getByRole("status").getByText("Tomás").waitFor();
    await send(mira);
    await stop.getByRole("button", { name: "Send anyway" }).click();
    await log(mira).getByText("Anyway.").waitFor();
    assert.deepEqual((await said()).slice(2), ["Somebody will come.", "It opens again.", "Anyway."]);

    // Her page does not know yet that he has answered. The server does, and her text is kept.
    await editor(mira).fill("The last word.");
    const learns = await hold(mira, new RegExp(`/v1/rest/requests/${id}\\?`));
    await replies("No, mine.");
    await send(mira);
    const slip = mira.getByRole("article", { name: "Unsent reply" });
    await slip.getByText(/Not sent\. Tomás replied .* Read it, then send\./).waitFor();
    await slip.getByText("The last word.").waitFor();
    learns();
    await slip.getByRole("button", { name: "Send anyway" }).click();
    await slip.waitFor({ state: "detached" });
    await log(mira).getByText("The last word.").waitFor();
    assert.deepEqual((await said()).slice(-2), ["No, mine.", "The last word."]);

    await tomas.goto("/customers");
    await here(mira, /Tomás/).waitFor({ state: "detached" });
  };
  await withPage(desk, asTomas, { signedIn: false });
});
