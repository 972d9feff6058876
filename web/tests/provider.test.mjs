// Sign-in with the account of one's company.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, launch, withPage } from "./browser.mjs";
import { startProvider } from "./provider.mjs";

let desk;
let provider;
before(async () => {
  const client = { clientId: "frontdesk", clientSecret: "a secret of both" };
  provider = await startProvider(client);
  desk = await startDemo({
    env: { FRONTDESK_OIDC_ISSUER: provider.url, FRONTDESK_OIDC_CLIENT_ID: client.clientId, FRONTDESK_OIDC_CLIENT_SECRET: client.clientSecret, FRONTDESK_OIDC_NAME: "Acme ID" },
  });
  await launch();
});
after(async () => {
  await close();
  await desk?.stop();
  await provider?.stop();
});

test("a provider lets in whom it has verified and who is a member, and nobody else", () =>
  withPage(
    desk,
    async (page) => {
      const enter = async (person) => {
        provider.person = person;
        await page.getByRole("link", { name: "Sign in with Acme ID" }).click();
      };
      await page.goto("/sign-in");
      await accessible(page, "sign-in with a provider");
      await enter({ sub: "1", email: desk.email, email_verified: false });
      await page.getByRole("alert").getByText("has not verified your email").waitFor();
      await enter({ sub: "2", email: "stranger@elsewhere.test", email_verified: true });
      await page.getByRole("alert").getByText("No one here has the email").waitFor();
      await enter({ sub: "3", email: desk.email, email_verified: true, name: "Mira" });
      await page.waitForURL(/\/requests/);
      await page.locator("li[data-id]").first().waitFor();
    },
    { signedIn: false },
  ));

test("who has one email in two accounts chooses, and switches, in every tab", async () => {
  await desk.run(["account", "create", "--name", "Globex", "--email", desk.email, "--password"], desk.password);
  await withPage(
    desk,
    async (page, context) => {
      provider.person = { sub: "3", email: desk.email, email_verified: true, name: "Mira" };
      const choose = (name) => page.getByRole("button", { name }).click();
      const menu = () => page.getByRole("button", { name: /account menu/ }).click();
      await page.goto("/sign-in");
      await page.getByRole("link", { name: "Sign in with Acme ID" }).click();
      await page.getByRole("heading", { name: "Choose an account" }).waitFor();
      assert.equal(new URL(page.url()).pathname, "/accounts");
      await accessible(page, "the choice of an account");
      await choose("Globex");
      await page.waitForURL(/\/requests/);
      await menu();
      await page.getByText(`${desk.email}, Globex`).waitFor();

      const tab = await context.newPage();
      await tab.goto("/settings/profile");
      await tab.getByRole("navigation", { name: "Main" }).waitFor();
      await page.getByRole("menuitem", { name: "Switch account" }).click();
      await page.getByRole("button", { name: "Globex (current)" }).waitFor();
      await choose("Acme Support");
      await page.waitForURL(/\/requests/);
      await page.locator("li[data-id]").first().waitFor();
      await tab.waitForURL(/\/requests/);
      await tab.locator("li[data-id]").first().waitFor();
      await tab.close();

      // By a password that is the same in both, and on to the page they wanted.
      await menu();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.waitForURL(/\/sign-in/);
      await page.goto("/customers");
      await page.waitForURL(/\/sign-in/);
      await page.getByLabel("Email").fill(desk.email);
      await page.getByLabel("Password", { exact: true }).fill(desk.password);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Choose an account" }).waitFor();
      await choose("Acme Support");
      await page.waitForURL(/\/customers$/);
      await page.getByRole("navigation", { name: "Main" }).waitFor();
    },
    { signedIn: false },
  );
});

test("who has nothing to choose by is sent to sign in", () =>
  withPage(
    desk,
    async (page) => {
      await page.goto("/accounts");
      await page.getByRole("heading", { name: "No other accounts" }).waitFor();
      await accessible(page, "no other accounts");
      await page.getByRole("link", { name: "Continue" }).click();
      await page.waitForURL(/\/sign-in/);
    },
    { signedIn: false },
  ));
