// A viewer: the invitation link, and every screen without the controls they may not
// use. A call that the server refuses logs an error on the console and fails the test.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, launch, withPage } from "./browser.mjs";

let desk;
before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});
after(async () => {
  await close();
  await desk?.stop();
});

test("a viewer chooses a password, and sees everything without the means to change it", async () => {
  const { member } = await desk.api("POST", "/members", { email: "leila@harborpine.test", name: "Leila", role: "viewer" });
  const { invitation } = await desk.api("POST", `/members/${member.id}/invitation`);
  const { requests } = await desk.api("GET", "/requests?state=open&limit=1");
  await withPage(
    desk,
    async (page) => {
      await page.goto(invitation.url);
      await page.getByText("leila@harborpine.test").waitFor();
      await accessible(page, "the welcome");
      await page.getByLabel("Password", { exact: true }).fill("only looking around");
      await page.getByRole("button", { name: "Set password and sign in" }).click();
      await page.waitForURL(/\/requests/);
      await page.locator("li[data-id]").first().waitFor();

      await page.goto(`/requests/${requests[0].id}`);
      await page.getByRole("log", { name: "Conversation" }).getByRole("article").first().waitFor();
      await page.getByRole("complementary", { name: "Properties" }).getByText("Priority").waitFor();
      await accessible(page, "a request, for a viewer");
      assert.equal(await page.locator(".ProseMirror").count(), 0, "there is an editor");
      assert.equal(await page.getByRole("button", { name: /^State: / }).count(), 0, "the state can be changed");
      await page.keyboard.press("?");
      const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await keys.getByText("Next request").waitFor();
      assert.equal(await keys.getByText("Solve", { exact: true }).count(), 0, "there is a key for what they may not do");
      await page.keyboard.press("Escape");

      for (const [path, title] of [
        ["/customers", "Customers"],
        ["/announcements", "Announcements"],
        ["/insights/volume", "Insights"],
        ["/insights/explorer", "Insights"],
        ["/settings/preferences", "Preferences"],
        ["/settings/tokens", "Access tokens"],
        ["/settings/collections", "Collections"],
        ["/settings/sla", "SLA policies"],
      ]) {
        await page.goto(path);
        await page.getByRole("heading", { level: 1, name: title }).waitFor();
      }
      assert.equal(await page.getByRole("link", { name: "People and roles" }).count(), 0);
    },
    { signedIn: false },
  );
});
