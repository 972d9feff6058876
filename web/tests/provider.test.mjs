// Sign-in with the account of one's company.
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
      await page.getByRole("alert").getByText("Nobody here has the email").waitFor();
      await enter({ sub: "3", email: desk.email, email_verified: true, name: "Mira" });
      await page.waitForURL(/\/requests/);
      await page.locator("li[data-id]").first().waitFor();
    },
    { signedIn: false },
  ));
