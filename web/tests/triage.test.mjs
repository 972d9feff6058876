// Triage: the views beside the list with live counts, orders and filters of what is unsolved, and what rows tell.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, launch, until, withPage } from "./browser.mjs";

let desk;
before(async () => {
  await launch();
  desk = await startDemo();
});
after(async () => {
  await close();
  await desk?.stop();
});

const rows = (page) => page.getByRole("region", { name: "Requests" }).getByRole("listitem");
const make = async (title, more = {}) => {
  const { request } = await desk.api("POST", "/requests", { title, description: `${title}, in more words.`, ...more });
  return { ...request, id: Number(request.id) };
};

test("the views stand beside the list, with counts that follow what happens", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/requests");
    await rows(page).first().waitFor();
    const views = page.getByRole("navigation", { name: "Views" });
    const countOf = async (name) => Number(/\d+/.exec((await views.getByRole("link", { name: new RegExp(`^${name}`) }).textContent()).replace(name, ""))?.[0] ?? 0);
    const counted = await desk.api("GET", "/views/counts?query=state%3Dopen%26state%3Din_progress%26state%3Dpending%26state%3Don_hold%26assignee_id%3Dnone");
    await until("the count is there", async () => (await countOf("Unassigned")) === counted.counts[0].count);
    assert.ok(counted.counts[0].count > 0);

    const { id } = await make("The till prints twice");
    await until("one more is counted", async () => (await countOf("Unassigned")) === counted.counts[0].count + 1);
    await desk.api("PATCH", `/requests/${id}`, { state: "solved" });
    await until("it is counted no more", async () => (await countOf("Unassigned")) === counted.counts[0].count);

    await desk.api("POST", "/views", { name: "Urgent ones", query: "state=open&priority=urgent", shared: true });
    await page.reload();
    await views.getByRole("link", { name: /^Urgent ones/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Urgent ones" }).waitFor();
    assert.equal(
      await views
        .locator("[aria-current]")
        .textContent()
        .then((t) => t.startsWith("Urgent ones")),
      true,
    );
    await accessible(page, "the views beside the list");

    await page.keyboard.press("{");
    await views.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Show the views" }).click();
    await views.waitFor();
  });
});

test("what is due next comes first, and what is overdue can be filtered by keys", async () => {
  await withPage(desk, async (page) => {
    const unsolved = "state=open,in_progress,pending,on_hold";
    const { requests } = await desk.api("GET", `/requests?${unsolved}&sort=next_due`);
    await page.goto("/requests");
    await rows(page).first().waitFor();
    await page.keyboard.press("f");
    await page.getByRole("menuitem", { name: "Next due first" }).click();
    await page.getByRole("button", { name: "Remove filter: Next due first" }).waitFor();
    await until("the first is due first", async () => Number(await page.locator("li[data-id]").first().getAttribute("data-id")) === requests[0].id);
    const first = page.locator(`li[data-id="${requests[0].id}"]`);
    assert.ok((await first.textContent()).includes(requests[0].last_message.text.slice(0, 20)), "the row has the beginning of the last message");

    await page.keyboard.press("f");
    await page.getByRole("menuitem", { name: "SLA…" }).click();
    await page.getByRole("dialog").getByRole("combobox").fill("Overdue");
    await page.getByRole("option", { name: "Overdue", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]sla=breached/);
    const overdue = (await desk.api("GET", `/requests?${unsolved}&sla=breached&limit=100`)).requests;
    assert.ok(overdue.length > 0 && overdue.length < requests.length);
    await until("only what is overdue is left", async () => (await page.locator("li[data-id]").count()) <= overdue.length);
    assert.ok(overdue.some((r) => r.id === requests[0].id));
  });
});

test("a row says that something was begun and not sent", async () => {
  await withPage(desk, async (page) => {
    const { id } = await make("The scale shows nothing");
    await page.goto(`/requests/${id}`);
    await page.locator(".ProseMirror").click();
    await page.keyboard.type("We are looking");
    await page.getByText("We are looking").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.locator(`li[data-id="${id}"]`).getByText("Draft").waitFor();
  });
});
