// The ways in and out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, hold, launch, pressInRow, signIn, withPage } from "./browser.mjs";

let desk;
before(async () => {
  desk = await startDemo();
  await launch();
});
after(async () => {
  await close();
  await desk?.stop();
});

test("who signs in sees the page they wanted, and who signs out is out", () =>
  withPage(
    desk,
    async (page) => {
      await page.goto("/customers");
      await page.waitForURL(/\/sign-in/);
      await accessible(page, "sign-in");
      await page.getByLabel("Email").fill(desk.email);
      await page.getByLabel("Password", { exact: true }).fill("not the password");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
      assert.equal(new URL(page.url()).pathname, "/sign-in");

      await page.getByLabel("Password", { exact: true }).fill(desk.password);
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/customers$/);
      await page.getByRole("navigation", { name: "Main" }).waitFor();

      await page.getByRole("button", { name: /account menu/ }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.waitForURL(/\/sign-in/);
      await page.goto("/requests");
      await page.waitForURL(/\/sign-in/);
    },
    { signedIn: false, expected: /status of 401/ },
  ));

test("whoever is signing out asks for nothing any more", () =>
  withPage(desk, async (page) => {
    await page.goto("/customers");
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    const out = await hold(page, /\/auth\/sign-out$/);
    const leaving = page.waitForRequest(/\/auth\/sign-out$/);
    await page.getByRole("button", { name: /account menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await leaving;
    const asked = [];
    page.on("request", (r) => asked.push(`${r.method()} ${new URL(r.url()).pathname}`));
    await page.getByRole("link", { name: "Insights" }).click();
    await page.waitForURL(/\/insights/);
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(next)))));
    assert.deepEqual(
      asked.filter((a) => a.includes("/v1/rest/")),
      [],
    );
    out();
    await page.waitForURL(/\/sign-in/);
  }));

test("whoever signs in stays on this site, whatever the link says", () =>
  withPage(
    desk,
    async (page) => {
      const elsewhere = desk.url.replace("http://127.0.0.1", "localhost"); // the same machine, and another site to a browser
      for (const [next, path] of [
        [`/.//${elsewhere}/customers`, `//${elsewhere}/customers`],
        [`/x/..//${elsewhere}/customers`, `//${elsewhere}/customers`],
        [`//${elsewhere}/customers`, "/"],
        [`/\\${elsewhere}/customers`, "/"],
        [`http://${elsewhere}/customers`, "/"],
        [`http://somebody@${desk.url.slice("http://".length)}/customers`, "/customers"],
        ["javascript:alert(1)", "/"],
        [`blob:${desk.url}/customers`, "/"],
        ["http://[", "/"],
        ["/customers?query=a%2Fb#top", "/customers?query=a%2Fb#top"],
      ]) {
        await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
        await page.getByLabel("Email").fill(desk.email);
        await page.getByLabel("Password", { exact: true }).fill(desk.password);
        const gone = page.waitForRequest((r) => r.isNavigationRequest() && !r.url().includes("/sign-in"));
        const loaded = page.waitForEvent("load");
        await page.keyboard.press("Enter");
        assert.equal((await gone).url(), desk.url + path.replace(/#.*/, ""), next);
        await loaded;
      }
    },
    // A path that begins with two slashes is sent on to one with one, where nothing is.
    { signedIn: false, expected: /status of 40/ },
  ));

test("the page of the API document works under a policy that lets no inline script or style in", () =>
  withPage(desk, async (page) => {
    const answer = await page.goto("/docs/");
    assert.doesNotMatch(answer.headers()["content-security-policy"], /unsafe/);
    await page.locator("#operations-Account-getAccount").getByRole("button").first().click();
    await page.getByRole("button", { name: "Try it out" }).click();
    const asked = page.waitForResponse((r) => r.url().endsWith("/v1/rest/account"));
    await page.getByRole("button", { name: "Execute" }).click();
    assert.equal((await asked).status(), 200); // with the session
    await page.locator(".live-responses-table").getByText('"key_prefix"').first().waitFor();
  }));

// Other screens ask for requests, too, and another number of them.
const inboxList = /\/v1\/rest\/requests\?.*\blimit=50\b/;

// The page knows who is signed in. Until then it is still opening, and whoever is signed out gets the sign-in instead.
const known = (page) => page.getByRole("button", { name: /account menu/ }).waitFor();

test("who signs in again does so over the page, and somebody else gets a page of their own", () =>
  withPage(
    desk,
    async (page, context) => {
      await page.goto("/customers");
      await known(page);
      const dialog = page.getByRole("dialog", { name: "Sign in again" });
      const enter = async () => {
        await dialog.getByLabel("Password", { exact: true }).fill(desk.password);
        await page.keyboard.press("Enter");
      };
      // The session is over when the inbox asks for its list.
      await page.route(
        inboxList,
        async (route) => {
          await context.clearCookies();
          await route.continue();
        },
        { times: 1 },
      );
      await pressInRow(page, "g", "i");
      await dialog.waitFor();
      await page.keyboard.press("Escape"); // there is no way around it
      assert.equal(await dialog.getByLabel("Email").inputValue(), desk.email);
      await enter();
      await page.locator("li[data-id]").first().waitFor();
      await dialog.waitFor({ state: "detached" });
      assert.equal(new URL(page.url()).pathname, "/requests");

      // Signed in elsewhere, as with a provider in another window: the page notices.
      await context.clearCookies();
      await page.locator("li[data-id]").first().dispatchEvent("click"); // also where the page has noticed before, and the dialog is over it
      await dialog.waitFor();
      await signIn(context, desk);
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("log", { name: "Conversation" }).waitFor();

      await context.clearCookies();
      await page.locator("li[data-id]").nth(1).dispatchEvent("click");
      await dialog.getByLabel("Email").fill("priya@acme.test");
      await enter();
      await page.getByRole("button", { name: /^Priya.*account menu/ }).waitFor();
      assert.equal(new URL(page.url()).pathname, "/requests");
    },
    { expected: /status of 40[13]/ },
  ));

test("what was refused is asked for again by itself once somebody has signed in", () =>
  withPage(
    desk,
    async (page, context) => {
      const dialog = page.getByRole("dialog", { name: "Sign in again" });
      const signInAgain = async () => {
        await dialog.getByLabel("Password", { exact: true }).fill(desk.password);
        const known = page.waitForResponse((r) => r.url().endsWith("/v1/rest/me") && r.ok());
        await page.keyboard.press("Enter");
        await (await known).finished();
        await dialog.waitFor({ state: "detached" });
      };
      // Goes to the inbox, whose session ends when it asks for its list: a dialog that is there sooner would take the
      // keys. Everything else that is asked for waits until then, and is refused.
      const toInbox = async (list) => {
        await page.goto("/customers");
        await known(page);
        let ends;
        const ended = new Promise((resolve) => (ends = resolve));
        const other = /\/v1\/rest\/(?!me\b)/;
        const wait = async (route) => {
          await ended;
          await route.continue();
        };
        await page.route(other, wait);
        await page.route(
          inboxList,
          async (route) => {
            await context.clearCookies();
            ends();
            await list(route);
          },
          { times: 1 },
        );
        await pressInRow(page, "g", "i");
        await dialog.waitFor();
        await page.unroute(other, wait);
      };

      // The screen itself arrives when all that is over.
      const screen = await hold(page, /\/assets\/Inbox-/);
      await toInbox((route) => route.continue());
      await signInAgain();
      screen();
      await page.locator("li[data-id]").first().waitFor();

      // The refusal arrives when the session is there again.
      let refuse;
      const late = new Promise((resolve) => (refuse = resolve));
      await toInbox(async (route) => {
        const { cookie, ...headers } = await route.request().allHeaders(); // it was sent before the session ended
        const answer = await route.fetch({ headers });
        assert.equal(answer.status(), 403);
        await late;
        await route.fulfill({ response: answer });
      });
      await signInAgain();
      refuse();
      await page.locator("li[data-id]").first().waitFor();
    },
    { expected: /status of 40[13]/ },
  ));

test("who goes offline is told, and sees what happened when they are back", () =>
  withPage(
    desk,
    async (page, context) => {
      await page.goto("/requests");
      await page.locator("li[data-id]").first().waitFor();
      await context.setOffline(true);
      const notice = page.getByRole("status").filter({ hasText: "Connection lost" });
      await notice.waitFor();
      await accessible(page, "offline");
      const { request } = await desk.api("POST", "/requests", { title: "Asked while nobody was connected", description: "<p>Hello?</p>" });
      await context.setOffline(false);
      await notice.waitFor({ state: "detached" });
      const row = page.locator(`li[data-id="${request.id}"]`);
      const pill = page.getByRole("button", { name: /^\d+ new$/ });
      await row.or(pill).first().waitFor(); // told by an event, or found by looking again
      if (await pill.isVisible()) await pill.click();
      await row.waitFor();
    },
    { expected: /ERR_INTERNET_DISCONNECTED|Failed to load resource/ },
  ));

test("an address that leads nowhere says so", () =>
  withPage(desk, async (page) => {
    await page.goto("/nowhere");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  }));

test("every key is in the help, and the palette finds everything", () =>
  withPage(desk, async (page) => {
    await page.goto("/customers");
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Go to Insights").waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("go to inbox");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/requests/);
  }));

test("keys work as soon as a dialog is closed", () =>
  withPage(
    desk,
    async (page) => {
      await page.goto("/customers");
      await page.getByRole("navigation", { name: "Main" }).waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      await page.keyboard.press("Escape");
      await page.locator('[role="dialog"]').waitFor({ state: "detached" });
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").waitFor();
    },
    { reducedMotion: "no-preference" },
  ));
