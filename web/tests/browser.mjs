// Pages in Chromium that fail their test when anything is logged as an error.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

// A machine that also builds something else is slow, and a test that waits for
// a signal loses nothing by being patient.
const patience = 240_000;

// The shell is the same Chromium without all that is around a page, and a new page of it is half the work.
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

/** Runs a test in a browser of its own, whose folder outlives it: whoever opens it again finds what it has kept. */
export async function withBrowser(desk, folder, test) {
  const own = await chromium.launchPersistentContext(folder, { ...launching, ...usual(desk) });
  own.setDefaultTimeout(patience);
  try {
    await test(own.pages()[0] ?? (await own.newPage()), own);
  } finally {
    await own.close();
  }
}

/** Slows the page's processor down, so many times. */
export async function slowDown(page, rate) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate });
}

/** What this browser keeps of a person, by the end of its name; null where there is nothing. */
export const kept = (page, end) => page.evaluate((end) => Object.entries(localStorage).find(([name]) => name.endsWith(end))?.[1] ?? null, end);

/**
 * Runs a test with a new page of its own. A page that is signed in is given the desk. Errors on the console and of the page
 * fail the test, but for those that `expected` (a pattern) names: a refused call logs one.
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
    // What a test holds back, and no longer lets go since it has failed, would be waited for.
    for (const page of own.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
    await own.close();
  }
}

/** Holds back what the page asks for until the function that it gives is called. */
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
 * Opens the inbox, and waits until its stream is open and the list was read once more, as it is then: what comes from now
 * on is told as new.
 */
export async function openInbox(page) {
  const open = await hold(page, /\/events\/stream/);
  await page.goto("/requests");
  await page.locator("li[data-id]").first().waitFor();
  const again = page.waitForResponse((r) => new URL(r.url()).pathname === "/v1/rest/requests");
  open();
  await (await again).finished();
}

/** Signs a context in as the app does, without its page. */
export async function signIn(context, { url, email, password }) {
  const answer = await context.request.post(`${url}/auth/sign-in`, { data: { email, password }, headers: { Origin: url } });
  assert.equal(answer.status(), 204, await answer.text());
}

/** Asks until the answer is as it should be: what is done in the background has no signal for a test. */
export async function until(what, look) {
  const end = Date.now() + patience;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) assert.fail(`waited in vain until ${what}`);
    await new Promise((next) => setTimeout(next, 100));
  }
}

let axe;

/** Fails on anything that axe calls serious or critical. */
export async function accessible(page, name) {
  // A colour on its way to another would be judged halfway.
  await page.evaluate(() => Promise.all(document.getAnimations().filter((a) => a.effect.getComputedTiming().endTime !== Infinity).map((a) => a.finished.catch(() => {}))));
  // Half a megabyte: once for each page that is loaded, and it is quicker each time it is run there.
  if (!(await page.evaluate(() => "axe" in window))) {
    axe ??= await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    await page.evaluate(axe); // not as a script element: the page's policy would refuse it
  }
  const violations = await page.evaluate(async () => {
    // What could only be moderate or minor would not fail, and of the rest no rule reads style sheets, which axe would load anew.
    const slight = window.axe._audit.rules.filter((rule) => !["serious", "critical"].includes(rule.impact));
    const options = { resultTypes: ["violations"], preload: false, rules: Object.fromEntries(slight.map((rule) => [rule.id, { enabled: false }])) };
    return (await window.axe.run(document, options)).violations;
  });
  const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  assert.deepEqual(
    serious.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(" ")} — ${n.failureSummary}`).join("; ")}`),
    [],
    `axe on ${name}`,
  );
}
