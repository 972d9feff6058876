// Pages in Chromium that fail their test when anything is logged as an error.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

// A busy machine is slow, and a long timeout costs nothing when a test waits for a
// signal.
const patience = Number(process.env.PATIENCE ?? 240_000);

// The headless shell is Chromium without the browser window; opening a page in it takes half the time.
const chromiums = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

const launching = {
  executablePath: process.env.CHROMIUM ?? chromiums.find((path) => existsSync(path)),
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
};

let browser;

export async function launch() {
  browser = await chromium.launch(launching);
  return browser;
}

export async function close() {
  await browser?.close();
}

const usual = (desk) => ({ baseURL: desk.url, viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", locale: "en-GB", timezoneId: "Europe/Berlin" });

/** Runs a test in its own browser with a profile folder, so that a later browser finds what this one stored. */
export async function withBrowser(desk, folder, test) {
  const own = await chromium.launchPersistentContext(folder, { ...launching, ...usual(desk) });
  own.setDefaultTimeout(patience);
  try {
    await test(own.pages()[0] ?? (await own.newPage()), own);
  } finally {
    await own.close();
  }
}

/** Makes the page's processor `rate` times slower. */
export async function slowDown(page, rate) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate });
}

/** The localStorage value whose name ends with `end`; null if there is none. */
export const kept = (page, end) => page.evaluate((end) => Object.entries(localStorage).find(([name]) => name.endsWith(end))?.[1] ?? null, end);

/**
 * Runs a test with its own new page, signed in unless `signedIn` is false. Errors on the console and uncaught errors fail
 * the test, except those that match `expected`: a refused call logs one.
 */
export async function withPage(desk, test, { signedIn = true, expected, ...context } = {}) {
  const own = await browser.newContext({ ...usual(desk), ...context });
  own.setDefaultTimeout(patience);
  const errors = [];
  const listen = (page) => {
    page.on("console", (m) => {
      if (m.type() === "error" && !expected?.test(m.text())) errors.push(`${m.text()} ${m.location().url}`);
    });
    page.on("pageerror", (e) => errors.push(String(e)));
  };
  own.on("page", listen);
  try {
    if (signedIn) await signIn(own, desk);
    const page = await own.newPage();
    await test(page, own);
    assert.deepEqual(errors, [], "the console has errors");
  } catch (e) {
    if (process.env.SCREENSHOTS) for (const [i, page] of own.pages().entries()) await page.screenshot({ path: `${process.env.SCREENSHOTS}/failed-${i}.png` });
    throw e;
  } finally {
    // A failed test may leave calls held back, and closing would wait for them.
    for (const page of own.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
    await own.close();
  }
}

/** Holds back matching calls of the page. Returns a function that lets them go. */
export async function hold(page, what) {
  let let_go;
  const free = new Promise((resolve) => (let_go = resolve));
  await page.route(what, async (route) => {
    await free;
    await route.continue();
  });
  return let_go;
}

/**
 * Opens the inbox and waits until its event stream is open and the list was read again after that. From then on,
 * new requests are counted in the "new" button.
 */
export async function openInbox(page) {
  const open = await hold(page, /\/events\/stream/);
  await page.goto("/requests");
  await page.locator("li[data-id]").first().waitFor();
  const isList = ({ pathname, searchParams }) => pathname === "/v1/rest/requests" && searchParams.get("snoozed") !== "back";
  const again = page.waitForResponse((r) => isList(new URL(r.url())));
  open();
  await (await again).finished();
}

/**
 * Presses keys that belong together. They are sent at once: on a busy machine, more than the second that the app waits may
 * pass between two calls of the test.
 */
export const pressInRow = (page, ...keys) => Promise.all(keys.map((key) => page.keyboard.press(key)));

/** Signs a context in as the app does, without its page. */
export async function signIn(context, { url, email, password }) {
  const answer = await context.request.post(`${url}/auth/sign-in`, { data: { email, password }, headers: { Origin: url } });
  assert.equal(answer.status(), 204, await answer.text());
}

/** Polls until `look` returns something truthy, for background work that gives no signal. */
export async function until(what, look) {
  const end = Date.now() + patience;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) assert.fail(`waited in vain until ${what}`);
    await new Promise((next) => setTimeout(next, 100));
  }
}

/**
 * Axe on the page in the dark and in the light, and what else there is to look at in both. The page is loaded once, which
 * takes longer than to judge it, and what has nothing to do with colours is judged once.
 */
export async function accessibleInBoth(page, name, look = async () => {}) {
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await accessible(page, `${name}, ${colorScheme}`, colorScheme === "dark" ? ofColours : undefined);
    await look(colorScheme);
  }
}

/** The rules of axe that look at colours. */
const ofColours = ["color-contrast", "link-in-text-block"];

// What somebody who does not see it has to be told by its name.
const controls = new Set(
  "button checkbox combobox dialog alertdialog link listbox menu menuitem menuitemcheckbox menuitemradio meter navigation option progressbar radio region searchbox slider spinbutton switch tab tabpanel textbox treeitem".split(
    " ",
  ),
);
const sessions = new WeakMap();

/** Fails on what a screen reader cannot tell: controls and places without a name, headings out of order, a page without one main part. */
export async function spoken(page, name) {
  if (!sessions.has(page)) sessions.set(page, await page.context().newCDPSession(page));
  const { nodes } = await sessions.get(page).send("Accessibility.getFullAXTree");
  const wrong = [];
  const places = new Map();
  let level = 0;
  let mains = 0;
  const byId = new Map(nodes.map((n) => [n.nodeId, n]));
  const visit = (node) => {
    const role = node.role?.value;
    if (!node.ignored) {
      const called = (node.name?.value ?? "").trim();
      if (controls.has(role) && called === "") wrong.push(`a ${role} has no name`);
      if (role === "main") mains++;
      if (role === "navigation") {
        if (places.has(called)) wrong.push(`two places are called ${called}`);
        places.set(called, true);
      }
      if (role === "heading") {
        const is = node.properties.find((p) => p.name === "level").value.value;
        if (is > level + 1) wrong.push(`“${called}”, of level ${is}, follows a heading of level ${level}`);
        if (called === "") wrong.push("a heading is empty");
        level = is;
      }
    }
    for (const child of node.childIds ?? []) if (byId.has(child)) visit(byId.get(child));
  };
  visit(nodes.find((n) => n.parentId === undefined));
  if (mains !== 1) wrong.push(`there are ${mains} main parts`);
  assert.deepEqual(wrong, [], `what a screen reader is told of ${name}`);
}

let axe;

/** Fails on anything that axe calls serious or critical; with `only`, on these of its rules. */
export async function accessible(page, name, only) {
  // Axe would judge the colours in the middle of an animation.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((a) => a.effect.getComputedTiming().endTime !== Infinity)
        .map((a) => a.finished.catch(() => {})),
    ),
  );
  // Axe is half a megabyte, so it is loaded once per page. Later runs on the same page are faster.
  if (!(await page.evaluate(() => "axe" in window))) {
    axe ??= await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    await page.evaluate(axe); // not as a script element: the page's policy would refuse it
  }
  const violations = await page.evaluate(async (only) => {
    // Skip rules that can only be moderate or minor. No other rule reads style sheets, so axe need not load them again.
    const others = window.axe._audit.rules.filter((rule) => (only ? !only.includes(rule.id) : !["serious", "critical"].includes(rule.impact)));
    const options = { resultTypes: ["violations"], preload: false, rules: Object.fromEntries(others.map((rule) => [rule.id, { enabled: false }])) };
    return (await window.axe.run(document, options)).violations;
  }, only);
  const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  assert.deepEqual(
    serious.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(" ")} — ${n.failureSummary}`).join("; ")}`),
    [],
    `axe on ${name}`,
  );
}
