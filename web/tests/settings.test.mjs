// The settings: what is set there holds, and what is shown once works.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { api, startDemo } from "./app.mjs";
import { accessible, close, hold, launch, until, withPage } from "./browser.mjs";

let desk;

before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});

after(async () => {
  await close();
  await desk?.stop();
});

/** A server that records its calls. `hears(enough)` waits until `enough(calls)` is true. */
async function receiver() {
  const calls = [];
  const waiting = new Set();
  const server = createServer((req, res) => {
    let body = "";
    req.on("data", (chunk) => (body += chunk));
    req.on("end", () => {
      calls.push({ id: req.headers["webhook-id"], body: JSON.parse(body) });
      res.writeHead(200, { "Content-Type": "text/plain" }).end("thank you");
      for (const look of waiting) look();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hears = (enough) =>
    new Promise((resolve) => {
      const look = () => {
        if (!enough(calls)) return;
        waiting.delete(look);
        resolve(calls);
      };
      waiting.add(look);
      look();
    });
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections(); // the desk keeps one open for what comes next
    });
  return { url: `http://127.0.0.1:${server.address().port}/hook`, calls, hears, stop };
}

/** What a box with a copy button holds. */
const shown = async (page, label) => (await page.getByRole("textbox", { name: label, exact: true }).textContent()).trim();

const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

/** Opens a list of choices and takes one. */
async function choose(page, label, option) {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("a token is made, works, and is removed", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/settings/tokens");
    await heading(page, "Access tokens");
    await page.getByRole("button", { name: "New token" }).first().click();
    const form = page.getByRole("dialog", { name: "New token" });
    await form.getByLabel("Name").fill("Nightly export");
    await accessible(page, "the form of a token");
    await form.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("region", { name: "New token" }).waitFor();
    const secret = await shown(page, "Token");
    const [made] = (await desk.api("GET", "/tokens")).tokens.filter((t) => t.name === "Nightly export");
    assert.equal(Math.round((Date.parse(made.expires_at) - Date.parse(made.created_at)) / 86_400_000), 365); // nobody has chosen

    // The line for the terminal is right as it stands: its address and its header.
    const line = await shown(page, "Try it");
    const [, header, address] = line.match(/^curl -H '([^']+)' '([^']+)'$/);
    assert.equal(header, `Authorization: Bearer ${secret}`);
    const answer = await fetch(address, { headers: { Authorization: header.slice("Authorization: ".length) } });
    assert.equal(answer.status, 200);
    assert.ok((await answer.json()).requests.length > 0);
    await assert.rejects(api(desk.url, secret)("POST", "/tokens", { name: "more", scope: "read_only" }), /403/); // it only reads

    await page.getByRole("button", { name: "Revoke token Nightly export" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("region", { name: "New token" }).waitFor({ state: "detached" });
    await page.getByText("Nightly export", { exact: true }).waitFor({ state: "detached" });
    await until("it is removed", async () => !(await desk.api("GET", "/tokens")).tokens.some((t) => t.name === "Nightly export"));

    // One without an end is made by who asks for it.
    await page.getByRole("button", { name: "New token" }).first().click();
    await form.getByLabel("Name").fill("For ever");
    await choose(page, "Expires", "Never");
    await form.getByText("Anyone who finds it can use it until you revoke it.").waitFor();
    await form.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("region", { name: "New token" }).waitFor();
    const [forEver] = (await desk.api("GET", "/tokens")).tokens.filter((t) => t.name === "For ever");
    assert.equal(forEver.expires_at, null);
  });
});

test("a webhook is added, told, and told once more", async () => {
  const hook = await receiver();
  try {
    await withPage(desk, async (page) => {
      await page.goto("/settings/webhooks");
      await heading(page, "Events API subscription");
      await page.getByRole("button", { name: "Add webhook" }).first().click();
      const form = page.getByRole("dialog", { name: "Add webhook" });
      await form.getByLabel("URL").fill(hook.url);
      await form.getByLabel("Selected events").check();
      await form.getByLabel(/Person added/).check();
      await accessible(page, "the form of a webhook");
      await form.getByRole("button", { name: "Add" }).click();
      await page.getByRole("region", { name: "New secret" }).waitFor();
      assert.match(await shown(page, "Secret"), /^whsec_/);
      await page.getByRole("link", { name: "Open webhook and send a test" }).click();

      await page.getByRole("button", { name: "Send test" }).click();
      const log = page.getByRole("list", { name: "Deliveries" });
      await log.getByRole("button", { name: /webhook\.test.*Delivered/ }).waitFor();
      assert.equal((await hook.hears((c) => c.length === 1))[0].body.type, "webhook.test");

      // What happens is in the log while the page is open.
      await desk.api("POST", "/members", { email: "hooked@harborpine.test", name: "Hooked", role: "viewer" });
      const told = log.getByRole("button", { name: /member\.created.*Delivered/ });
      await told.waitFor();
      await told.click();
      const answer = page.getByRole("region", { name: "Response of attempt 1" });
      await answer.getByText("thank you").waitFor();
      await page.getByRole("region", { name: "Body" }).getByText("hooked@harborpine.test").waitFor();
      assert.match(page.url(), /delivery=\d+/);
      await accessible(page, "a delivery");

      await page.getByRole("button", { name: "Replay", exact: true }).click();
      const { id } = hook.calls.find((c) => c.body.type === "member.created");
      const times = (n) => (calls) => calls.filter((c) => c.id === id).length >= n;
      await hook.hears(times(2));
      await log.getByRole("button", { name: /member\.created replay.*Delivered/ }).waitFor();

      await page.getByRole("button", { name: "Replay events" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
      await hook.hears(times(3)); // with those whom the demo has added in the last hour

      await page.getByRole("button", { name: "Turn off" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
      await page.getByText("This webhook is off").waitFor();
      await page.getByRole("button", { name: "Turn on" }).click();
      await page.getByRole("button", { name: "Send missed events" }).click();
      await page.getByText("This webhook is off").waitFor({ state: "detached" });
    });
  } finally {
    await hook.stop();
  }
});

test("a webhook that fails says why", async () => {
  const gone = await receiver();
  await gone.stop(); // nobody listens there
  await withPage(desk, async (page) => {
    await page.clock.install();
    const { webhook } = await desk.api("POST", "/webhooks", { url: gone.url, event_types: ["announcement.sent"] });
    await page.goto(`/settings/webhooks/${webhook.id}`);
    await page.getByRole("button", { name: "Send test" }).click();
    await page
      .getByRole("list", { name: "Deliveries" })
      .getByRole("button", { name: /webhook\.test.*refused/ })
      .waitFor();
    // The log of a deleted webhook is not polled, however long the answer takes.
    await page.route(/\/webhooks\/\d+$/, async (route) => {
      if (route.request().method() !== "DELETE") return route.continue();
      const response = await route.fetch();
      await page.clock.runFor(4_000);
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await heading(page, "Events API subscription");
    await page.getByText(gone.url).waitFor({ state: "detached" });
  });
});

test("somebody is added, welcomed, changes their password and is removed; the audit log has it", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/settings/people");
    await page.getByRole("button", { name: "Add person" }).click();
    const form = page.getByRole("dialog", { name: "Add person" });
    await form.getByLabel("Email").fill("noor@harborpine.test");
    await form.getByLabel("Name").fill("Noor Haddad");
    await accessible(page, "the form of a person");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    const link = await shown(page, "Link");
    await page.getByRole("button", { name: "Done" }).click();

    await withPage(
      desk,
      async (theirs) => {
        const at = new URL(link);
        await theirs.goto(`${desk.url}${at.pathname}${at.hash}`);
        await theirs.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
        await theirs.getByRole("button", { name: "Set password and sign in" }).click();
        await theirs.waitForURL("**/requests**");
        await theirs.goto("/settings/profile");
        await theirs.getByLabel("Current password").fill("correct horse battery");
        await theirs.getByLabel("New password").fill("battery horse correct");
        const own = (method, path, data) => theirs.request.fetch(`${desk.url}/v1/rest${path}`, { method, data, headers: { Origin: desk.url } });
        assert.equal((await own("POST", "/tokens", { name: "a script", scope: "read_only" })).status(), 201);
        await theirs.getByLabel("Also revoke my tokens").check();
        await theirs.getByRole("button", { name: "Change password" }).click();
        await theirs.getByText("Password changed and tokens revoked.").waitFor();
        assert.deepEqual((await (await own("GET", "/tokens")).json()).tokens, []);
        // What is for admins is neither listed nor shown.
        assert.equal(await theirs.getByRole("link", { name: "Audit log" }).count(), 0);
        await theirs.goto("/settings/audit-log");
        await theirs.getByText("This page is for admins").waitFor();
      },
      { signedIn: false },
    );
    await withPage({ ...desk, email: "noor@harborpine.test", password: "battery horse correct" }, async (theirs) => {
      await theirs.goto("/settings/sessions");
      await theirs.getByText("This browser").waitFor();
      // The other is the one in which the password was changed.
      const end = theirs.getByRole("list", { name: "Sessions" }).getByRole("button", { name: /^End session/ });
      await end.click();
      await theirs.getByRole("dialog").getByRole("button", { name: "End session" }).click();
      await end.waitFor({ state: "detached" });
    });

    await choose(page, "Role of Noor Haddad", "Viewer");
    await page.getByRole("listitem").filter({ hasText: "Noor Haddad" }).getByText("Saved").waitFor();
    await page.getByRole("button", { name: "More actions for Noor Haddad" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByRole("dialog", { name: "Remove Noor Haddad?" }).getByRole("button", { name: "Remove" }).click();
    await page.getByText("noor@harborpine.test").waitFor({ state: "detached" });

    await page.goto("/settings/audit-log?type=Member");
    await page.getByText("removed the member “Noor Haddad”").waitFor();
    const changed = page.getByRole("listitem").filter({ hasText: "changed the member “Noor Haddad”" }).first();
    await changed.getByRole("button", { name: "1 change" }).click();
    await changed.getByRole("row", { name: "role agent viewer" }).waitFor();
    const file = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    assert.match((await file).suggestedFilename(), /^audit-log-.*\.csv$/);
    await choose(page, "Action", "Created member");
    await page.waitForURL(/action=member\.created/);
    await page.getByText("changed the member “Noor Haddad”").first().waitFor({ state: "detached" });
    await page.getByText("created the member “Noor Haddad”").waitFor();
  });
});

test("a role and collections that are chosen one after the other both stay, and a refused one is taken back alone", async () => {
  const { member } = await desk.api("POST", "/members", { email: "kit@harborpine.test", name: "Kit Moreau", role: "agent" });
  const now = async () => (await desk.api("GET", `/members/${member.id}`)).member;
  await withPage(
    desk,
    async (page) => {
      await page.goto("/settings/people");
      const row = page.getByRole("listitem").filter({ hasText: "Kit Moreau" });
      const role = row.getByRole("combobox", { name: "Role of Kit Moreau" });
      const collections = row.getByRole("combobox", { name: "Collections of Kit Moreau" });

      // Both are chosen before the server has answered to the first.
      const answer = await hold(page, new RegExp(`/v1/rest/members/${member.id}$`));
      await choose(row.page(), "Role of Kit Moreau", "Viewer");
      await choose(row.page(), "Collections of Kit Moreau", "Customer channels");
      await page.keyboard.press("Escape");
      const both = async () => (await role.inputValue()) === "Viewer" && (await row.getByText("Customer channels").count()) > 0;
      assert.ok(await both());
      await row.getByText("Saving…").waitFor();
      answer();
      await row.getByText("Saved").waitFor();
      assert.ok(await both());
      const { role: kept, collection_ids } = await now();
      assert.deepEqual([kept, collection_ids.length], ["viewer", 1]);

      await page.route(`**/v1/rest/members/${member.id}`, (route) =>
        route.request().postDataJSON().role ? route.fulfill({ status: 400, json: { message: "No more admins, please." } }) : route.fallback(),
      );
      await choose(row.page(), "Role of Kit Moreau", "Agent");
      await row.getByRole("alert").getByText("No more admins, please.").waitFor();
      assert.ok(await both());
      await collections.waitFor();
    },
    { expected: /400/ },
  );
});

test("what is changed is saved as you go", async () => {
  await withPage(
    desk,
    async (page) => {
      await page.goto("/settings/account");
      const prefix = page.getByLabel("Ticket key prefix");
      await prefix.fill("7up");
      await prefix.press("Enter");
      await page
        .locator(`[id="${await prefix.getAttribute("aria-errormessage")}"], .mantine-InputWrapper-error`)
        .first()
        .waitFor();
      await prefix.fill("pine");
      await prefix.press("Enter");
      await page.getByText("Saved").waitFor();
      assert.equal((await desk.api("GET", "/account")).account.key_prefix, "PINE");
      await page.getByLabel("Allow requests to be put on hold").click();

      await page.goto("/settings/profile");
      await page.getByLabel("Your name").fill("Sam of the desk");
      await page.getByLabel("Your name").press("Enter");
      await page.getByText("Saved").waitFor();
      assert.equal((await desk.api("GET", "/me")).me.member.name, "Sam of the desk");

      await page.goto("/settings/preferences");
      await page.getByText("Compact", { exact: true }).click();
      await page.getByLabel("Dark", { exact: true }).check();
      const undo = page.getByRole("slider", { name: "Seconds to undo a message" });
      await undo.press("End");
      await page.getByText("Messages are sent after 60 seconds.").waitFor();
      await page.reload();
      await page.getByText("Messages are sent after 60 seconds.").waitFor();
      assert.equal(await page.getByLabel("Dark", { exact: true }).isChecked(), true);

      await page.goto("/settings/quick-replies");
      await page.getByRole("button", { name: "New quick reply" }).first().click();
      const form = page.getByRole("dialog");
      await form.getByLabel("Name").fill("Reset <b>");
      await form.getByLabel("Text").fill("Hello,\n\nopen <Settings> & press Reset.");
      await form.getByRole("switch", { name: "Share with everyone" }).check();
      await accessible(page, "the form of a quick reply");
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("Reset <b>", { exact: true }).waitFor();
      const { quick_replies } = await desk.api("GET", "/quick-replies");
      assert.equal(quick_replies.find((r) => r.name === "Reset <b>").html, "<p>Hello,</p><p>open &lt;Settings&gt; &amp; press Reset.</p>");
      await page.getByRole("button", { name: "Edit Reset <b>" }).click();
      await form.getByLabel("Name").fill("How to reset");
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("How to reset", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Delete How to reset" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("How to reset", { exact: true }).waitFor({ state: "detached" });
    },
    { expected: /400|422/ }, // the prefix that is refused
  );
});

test("what is typed while a save is on its way is kept", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/settings/account");
    const name = page.getByLabel("Account name");
    const mark = page.getByRole("status").filter({ hasText: /Sav/ });
    const sent = [];
    page.on("request", (r) => r.method() === "PATCH" && sent.push(r.postDataJSON().name));
    const saved = (text) => until(`the name is ${text}`, async () => (await desk.api("GET", "/account")).account.name === text);
    await name.waitFor();

    // More is typed after Enter: it stays in the field, and the next Enter saves it.
    let answer = await hold(page, /\/v1\/rest\/account$/);
    await name.fill("Harbor");
    await name.press("Enter");
    await mark.getByText("Saving…").waitFor();
    await name.press("End");
    await page.keyboard.type(" desk");
    answer();
    await mark.getByText("Saved").waitFor();
    assert.equal(await name.inputValue(), "Harbor desk");
    await name.press("Enter");
    await saved("Harbor desk");

    // Changed back before the answer: the old name is sent again, after the new one.
    await until("nothing is being saved", async () => (await mark.innerText()).includes("Saved"));
    answer = await hold(page, /\/v1\/rest\/account$/);
    await name.fill("Pine");
    await name.press("Enter");
    await mark.getByText("Saving…").waitFor();
    await name.fill("Harbor desk");
    await name.press("Enter");
    await name.blur(); // what Enter has sent is not sent again
    answer();
    await until("all names are sent", () => sent.length >= 4);
    await mark.getByText("Saved").waitFor();
    assert.deepEqual(sent, ["Harbor", "Harbor desk", "Pine", "Harbor desk"]);
    await saved("Harbor desk");
    assert.equal(await name.inputValue(), "Harbor desk");
  });
});

test("the chat is disconnected and connected again; the form of a ticket system", async () => {
  await withPage(desk, async (page, context) => {
    await page.goto("/settings/chat");
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog", { name: "Disconnect chat?" }).getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("button", { name: "Connect sandbox" }).waitFor();
    await accessible(page, "a desk without a chat");
    // The demo's sandbox asks and allows as Slack does.
    await page.getByRole("button", { name: "Connect Slack" }).click();
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: "Continue in Slack" }).click();
    const slack = await opened;
    await slack.getByText("Workspace: Acme").waitFor(); // the admin's own
    await slack.getByRole("button", { name: "Allow" }).click();
    await slack.getByText("connected").waitFor();
    await page.getByText("Connected", { exact: true }).waitFor();

    await page.goto("/settings/integrations");
    await page.getByRole("button", { name: "Connect Linear" }).click();
    const form = page.getByRole("dialog", { name: "Connect Linear" });
    await form.getByLabel("API key").first().waitFor();
    await accessible(page, "the form of a ticket system");
    await form.getByRole("button", { name: "Cancel" }).click();
    await form.waitFor({ state: "detached" });
  });
});

const everyPage = [
  ["profile", "Name and password"],
  ["sessions", "Sessions"],
  ["preferences", "Preferences"],
  ["account", "Account"],
  ["people", "People and roles"],
  ["audit-log", "Audit log"],
  ["quick-replies", "Quick replies"],
  ["chat", "Chat"],
  ["integrations", "Ticket systems"],
  ["tokens", "Access tokens"],
  ["webhooks", "Events API subscription"],
];

test("every page is for everybody", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/settings");
    for (const [path, name] of everyPage) {
      await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name, exact: true }).click();
      await heading(page, name);
      await page.waitForURL(`**/settings/${path}`);
      await page.getByLabel("Loading").waitFor({ state: "detached" });
    }
  });
});

test("on a phone there is the list, then the page", async () => {
  await withPage(
    desk,
    async (page) => {
      await page.goto("/settings");
      await heading(page, "Settings");
      await page.getByRole("link", { name: "People and roles" }).click();
      await heading(page, "People and roles");
      await page.getByLabel("Loading").waitFor({ state: "detached" });
      const { content, width } = await page.evaluate(() => ({ content: document.documentElement.scrollWidth, width: innerWidth }));
      assert.ok(content <= width, `${content} pixels in ${width}`);
      await page.locator("main").getByRole("link", { name: "Settings", exact: true }).click();
      await heading(page, "Settings");
    },
    { viewport: { width: 390, height: 844 } },
  );
});

test("in German, sentences have the order of German, and every page fits a phone", async () => {
  await desk.api("POST", "/members", { email: "ines@harborpine.test", name: "Ines Roth", role: "viewer" });
  await withPage(
    desk,
    async (page) => {
      await page.goto("/settings/audit-log");
      await choose(page, "Aktion", "Mitglied erstellt");
      await page.getByText("hat das Mitglied „Ines Roth“ erstellt").waitFor();
      await page.goto("/settings/sla");
      await page.getByText("Für Anfragen mit Priorität dringend und hoch: erste Antwort innerhalb von 30 Minuten Arbeitszeit (Office hours).").waitFor();
      await page.getByText("Für alle Anfragen: gelöst mit höchstens 2 Antworten.").waitFor();

      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto("/settings");
      await heading(page, "Einstellungen");
      const links = page.getByRole("navigation", { name: "Einstellungen" }).getByRole("link");
      await links.nth(16).waitFor(); // those for admins come once it is known who is signed in
      const paths = await links.evaluateAll((all) => all.map((a) => a.getAttribute("href")));
      assert.equal(paths.length, 17);
      for (const path of paths) {
        await page.goto(path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
        const { content, width } = await page.evaluate(() => ({ content: document.documentElement.scrollWidth, width: innerWidth }));
        assert.ok(content <= width, `${path} has ${content} pixels in ${width}`);
      }
    },
    { locale: "de-DE", viewport: { width: 1440, height: 900 } },
  );
});
