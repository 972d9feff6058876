// Every screen, and what opens on it: axe in both colours, and what a screen reader is told. One desk is furnished once and
// one page walks through all of it, because to open a browser and a desk takes longer than to judge a screen.
//
// `make screens` takes pictures meanwhile: SCREENS is the folder for all, README the folder for those that the README shows.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessibleInBoth, close, launch, pressInRow, spoken, until, withPage } from "./browser.mjs";

const { SCREENS: all, README: few } = process.env;

let desk;
let known;
before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
  known = await furnish();
  for (const folder of [all, few]) if (folder) await mkdir(folder, { recursive: true });
});
after(async () => {
  await close();
  await desk?.stop();
});

/** What the demo does not have, and the addresses of what it has. */
async function furnish() {
  const explore = (name, chart, query, rest = {}) =>
    desk.api("POST", "/insights/explorations", {
      name,
      chart,
      query: { time_dimensions: [{ dimension: "Requests.created_at", date_range: "from 29 days ago to now", ...(chart === "line" && { granularity: "day" }) }], ...query },
      ...rest,
    });
  const cards = await Promise.all([
    explore("Arrivals", "line", { measures: ["Requests.count"] }),
    explore("By priority", "bar", { measures: ["Requests.count"], dimensions: ["Requests.priority"] }),
    explore("First replies", "table", { measures: ["Requests.first_response_time_p50", "Requests.first_response_time_p95"], dimensions: ["Requests.collection_id"] }),
  ]);
  const { dashboard } = await desk.api("POST", "/insights/dashboards", {
    name: "Monday morning",
    cards: cards.map(({ exploration }, i) => ({ exploration_id: exploration.id, width: i === 0 ? "whole" : "half" })),
  });
  const { requests } = await desk.api("GET", "/requests?state=open,in_progress,pending&include=messages&limit=50");
  const talked = requests.find((r) => r.channel && r.messages.some((m) => m.is_responder)) ?? requests[0];
  await desk.api("POST", "/quick-replies", { name: "We are looking", html: "<p>Thank you, we are looking into it.</p>" });
  await desk.api("POST", "/views", { name: "Urgent at Harbor & Pine", query: "state=open&priority=urgent", shared: true });
  await desk.api("PATCH", `/requests/${requests.find((r) => r.id !== talked.id).id}`, { snooze: { until: null } });
  const first = async (path, what) => (await desk.api("GET", `/${path}?limit=1`))[what][0]?.id;
  const [customer, announcement, collection, webhook, schedule, field, form] = await Promise.all([
    first("customers", "customers"),
    first("announcements", "announcements"),
    first("collections", "collections"),
    first("webhooks", "webhooks"),
    first("schedules", "schedules"),
    first("custom-fields", "custom_fields"),
    first("tickets/forms", "ticket_forms"),
  ]);
  return { talked, dashboard, customer, announcement, collection, webhook, schedule, field, form };
}

const h1 = (name) => (page) => page.getByRole("heading", { level: 1, name });
const editor = (page) => page.getByRole("textbox", { name: "Reply", exact: true });
const settings = (path, name) => ({ name: `settings: ${path}`, path: () => `/settings/${path}`, seen: h1(name) });

// The steps that open something.
const key = (keys) => (page) => pressInRow(page, ...keys.split(" "));
const type = (text) => (page) => page.keyboard.type(text);
const write = (text) => (page) => editor(page).fill(text);
const press = (name) => (page) => page.getByRole("button", { name }).first().click();
const choose = (name) => (page) => page.getByRole("menuitem", { name }).click();
const shows = (role, name) => (page) =>
  page
    .getByRole(role, name && { name })
    .first()
    .waitFor();
const reads = (text) => (page) => page.getByText(text).first().waitFor();

/**
 * A screen is there when `seen` is seen and nothing loads. `opens` are the things that open on it, with the steps that do
 * so; Escape closes them, or else what `shut` says. `picture` is the name of its picture, `readme` that the README has it.
 */
const screens = [
  {
    name: "the inbox",
    path: () => "/requests",
    seen: (page) => page.locator("li[data-id]").first(),
    picture: "list",
    opens: [
      { what: "the views", steps: [key("v"), shows("menu")] },
      { what: "the filters", steps: [key("f"), shows("menu")] },
      { what: "a new request", steps: [key("c"), shows("dialog", "New request")], shut: [key("Escape"), closeIt] },
      { what: "the choice of an assignee", steps: [key("j"), key("a"), shows("option")] },
      { what: "the choice of a snooze", steps: [key("h"), shows("option")] },
      { what: "a selection", steps: [key("x"), key("j"), key("x"), reads("2 selected")], shut: [] },
      { what: "a merge", steps: [key("m"), shows("dialog", "Merge 2 requests")] },
      { what: "the palette", steps: [key("Escape"), key("Control+k"), shows("dialog", "Command palette")] },
      { what: "the palette without a result", steps: [key("Control+k"), shows("dialog"), type("qqqq"), reads("No results.")] },
      { what: "the keys", steps: [key("?"), shows("dialog", "Keyboard shortcuts")] },
      { what: "notifications", steps: [key("g n"), shows("dialog", "Notifications")] },
      { what: "the account menu", steps: [press(/account menu/), shows("menu")] },
    ],
  },
  { name: "an empty list", path: () => "/requests?tag=nobody-has-this", seen: (page) => page.getByText("No matching requests") },
  { name: "a search without results", path: () => "/requests?query=nobody-wrote-this-word", seen: (page) => page.getByText("No results") },
  { name: "a list that cannot be read", path: () => "/requests?priority=low", refused: /\/v1\/rest\/requests\?/, seen: (page) => page.getByRole("button", { name: "Try again" }).first() },
  {
    name: "a request",
    path: () => `/requests/${known.talked.key}`,
    seen: editor,
    picture: "inbox",
    readme: true,
    opens: [
      { what: "more actions", steps: [press("More actions"), shows("menu")] },
      { what: "the choice of a state", steps: [key("s"), shows("option")] },
      { what: "the choice of tags", steps: [key("l"), shows("dialog", /^Tags/)] },
      { what: "quick replies", steps: [write(""), type(";"), shows("listbox", "Quick replies")], shut: [write("")] },
      { what: "mentions", steps: [write(""), type("@"), shows("listbox", "People")], shut: [write("")] },
      { what: "what Send can do besides", steps: [write("Hello"), press("Send and set state"), shows("menu")], shut: [key("Escape"), write("")] },
      { what: "the history", steps: [press("History"), reads("opened the request")], shut: [] },
      { what: "merging into it", steps: [press("More actions"), choose(/^Merge/), shows("dialog")] },
      { what: "what to do with tickets", steps: [press("Add ticket"), shows("menu")] },
      { what: "linking a ticket", steps: [press("Add ticket"), choose(/^Link a ticket/), shows("dialog")] },
    ],
  },
  { name: "no such request", path: () => "/requests/ACME-999999", seen: (page) => page.getByText("Request not found") },
  {
    name: "customers",
    path: () => "/customers",
    seen: (page) => page.getByRole("table").first(),
    picture: "customers",
    readme: true,
    opens: [{ what: "a new customer", steps: [press("New customer"), shows("dialog")] }],
  },
  { name: "a customer that cannot be read", path: () => "/customers/2", refused: /\/v1\/rest\/customers\/2(\?|$)/, seen: (page) => page.getByRole("button", { name: "Try again" }).first() },
  { name: "a customer", path: () => `/customers/${known.customer}`, seen: (page) => page.getByRole("region", { name: "Timeline" }).getByRole("listitem").first(), picture: "customer" },
  { name: "announcements", path: () => "/announcements", seen: (page) => page.getByRole("table").first(), picture: "announcement-list" },
  { name: "an announcement", path: () => `/announcements/${known.announcement}`, seen: (page) => page.getByRole("table").first(), picture: "announcements", readme: true },
  { name: "a new announcement", path: () => "/announcements/new", seen: h1(/announcement/i) },
  {
    name: "insights",
    path: () => "/insights/volume",
    seen: (page) => page.locator(".recharts-surface").first(),
    picture: "insights",
    readme: true,
    opens: [{ what: "how a figure is calculated", steps: [press(/^Explain: /), shows("dialog")] }],
  },
  { name: "insights: speed", path: () => "/insights/speed", seen: (page) => page.getByRole("region", { name: "By collection" }).getByRole("row").nth(1) },
  { name: "insights: SLA", path: () => "/insights/sla", seen: (page) => page.getByRole("region", { name: "By assignee" }).getByRole("row").nth(1) },
  { name: "insights: satisfaction", path: () => "/insights/satisfaction", seen: (page) => page.getByRole("region", { name: "By score" }).getByRole("row").nth(1) },
  { name: "the explorer", path: () => "/insights/explorer", seen: (page) => page.getByRole("table").first(), picture: "explorer", readme: true },
  { name: "a dashboard of one's own", path: () => `/insights/dashboards/${known.dashboard.id}`, seen: (page) => page.locator(".recharts-surface").first(), picture: "dashboard" },
  { name: "the sandbox", path: () => "/sandbox", seen: (page) => page.getByRole("textbox").first(), picture: "sandbox", readme: true },
  { name: "the mailbox", path: () => "/mailbox", seen: h1(/./), picture: "mailbox" },
  settings("profile", "Name and password"),
  settings("sessions", "Sessions"),
  settings("preferences", "Preferences"),
  { ...settings("notifications", "Notifications"), picture: "notifications" },
  settings("account", "Account"),
  { ...settings("people", "People and roles"), picture: "people" },
  settings("audit-log", "Audit log"),
  settings("collections", "Collections"),
  { name: "a collection", path: () => `/settings/collections/${known.collection}`, seen: h1(/./), picture: "collection" },
  settings("fields", "Custom fields"),
  { name: "a field", path: () => `/settings/fields/${known.field}`, seen: h1(/./) },
  settings("forms", "Ticket forms"),
  { name: "a form", path: () => `/settings/forms/${known.form}`, seen: h1(/./) },
  settings("schedules", "Schedules"),
  { name: "a schedule", path: () => `/settings/schedules/${known.schedule}`, seen: h1(/./) },
  { ...settings("sla", "SLA policies"), picture: "sla", readme: true },
  settings("quick-replies", "Quick replies"),
  settings("chat", "Chat"),
  settings("integrations", "Ticket systems"),
  { ...settings("tokens", "Access tokens"), picture: "tokens", readme: true },
  settings("webhooks", "Events API subscription"),
  { name: "nowhere", path: () => "/nowhere", seen: h1("Page not found") },
];

/** Goes to an address without loading the app again, as its links do. */
const go = (page, path) => page.evaluate((path) => history.pushState(null, "", path), path);

/** Waits until nothing on the page loads any more. */
const loaded = (page) => until("nothing loads", () => page.evaluate(() => document.querySelector('[aria-busy="true"], [aria-label="Loading"]') === null));

/** Says what is wrong with what is to be seen now. */
async function judge(page, name, wrong) {
  for (const look of [accessibleInBoth, spoken]) await look(page, name).catch((e) => wrong.push(e.message));
}

async function closeIt(page) {
  await page.keyboard.press("Escape");
  await page.locator('[role="dialog"], [role="menu"]').first().waitFor({ state: "detached" });
}

/** Takes pictures in both colours and on a phone, which must not scroll sideways. */
async function takePictures(page, { picture, readme, name }) {
  // Nothing is pointed at, and nothing has the focus.
  await page.mouse.move(720, 899);
  await page.evaluate(() => document.activeElement?.blur());
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    if (all) await page.screenshot({ path: `${all}/${picture}-${colorScheme}.png` });
    if (few && readme) await page.screenshot({ path: `${few}/${picture}-${colorScheme}.png` });
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await until(`${name} does not scroll sideways on a phone`, () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector("main").scrollWidth <= innerWidth));
  if (all) await page.screenshot({ path: `${all}/${picture}-phone.png` });
  await page.setViewportSize({ width: 1440, height: 900 });
}

test("every screen and what opens on it can be seen, read aloud and named, in both colours", async () => {
  const wrong = [];
  await withPage(
    desk,
    async (page) => {
      await page.goto("/requests");
      await page.locator("li[data-id]").first().waitFor();
      for (const screen of screens) {
        const { name, path, seen, refused, opens = [] } = screen;
        if (refused) await page.route(refused, (route) => route.fulfill({ status: 406, json: { message: "This is not possible now." } }));
        await go(page, path());
        await seen(page).waitFor();
        await loaded(page);
        await judge(page, name, wrong);
        if (screen.picture) await takePictures(page, screen);
        for (const { what, steps, shut = [closeIt] } of opens) {
          for (const step of steps) await step(page);
          await judge(page, `${name}: ${what}`, wrong);
          for (const step of shut) await step(page);
        }
        if (refused) await page.unroute(refused);
      }
    },
    { expected: /40[46]/ },
  );
  assert.deepEqual(wrong, []);
});
