// Measures the inbox in Chromium, on a demo desk and on one with many requests: how soon it can be used, what it loads
// for that, how fast requests open and keys move, and whether it grows. Run on a quiet machine: make bench-web.
// MANY says how many requests the larger desk has.
import { readFile, readdir } from "node:fs/promises";
import { fill } from "./fill.mjs";
import { startDemo } from "../tests/app.mjs";
import { close, launch, signIn } from "../tests/browser.mjs";

const many = Number(process.env.MANY ?? 100_000);
const loads = Number(process.env.LOADS ?? 5);
const opened = 20;
const steps = 60;
const counts = 200;

const goals = { usable: 1000, kilobytes: 300, opening: 100, frame: 50, counting: 5, growth: 1.2 };

const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
/** Prints a value beside its goal. */
const report = (what, value, unit, goal, more = "") =>
  console.log(
    `  ${what.padEnd(62)} ${`${value.toFixed(unit === "ms" && goal < 20 ? 2 : unit === "" ? 2 : 0)} ${unit}`.trim().padStart(9)} (goal ${goal}: ${value <= goal ? "reached" : "MISSED"})${more}`,
  );

const browser = await launch();

/** A new page of somebody who is signed in, with nothing in its cache. */
async function newPage(desk) {
  const context = await browser.newContext({ baseURL: desk.url, viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(300_000);
  await signIn(context, desk);
  return context.newPage();
}

/** Loads the inbox with an empty cache. Gives when it is drawn, when it does what a key says, and what JavaScript was there until then. */
async function load(desk) {
  const page = await newPage(desk);
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  const files = new Map();
  network.on("Network.responseReceived", (e) => e.type === "Script" && files.set(e.requestId, { url: e.response.url, size: 0 }));
  network.on("Network.loadingFinished", (e) => files.has(e.requestId) && (files.get(e.requestId).size = e.encodedDataLength));
  // The page notes it itself: until somebody asks, it may have begun to load what comes afterwards.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelector("li[data-id]") === null) return;
      window.drawn = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto("/requests", { waitUntil: "commit" });
  await page.locator("li[data-id]").first().waitFor();
  const drawn = await page.evaluate(() => window.drawn);
  await page.keyboard.press("j");
  await page.locator("li[data-id][data-here]").first().waitFor();
  const used = await page.evaluate(() => performance.now());
  // What was asked for before the list was drawn, whether or not it had arrived. What comes afterwards is not waited for.
  const until = new Set(await page.evaluate((drawn) => performance.getEntriesByType("resource").flatMap((r) => (r.startTime <= drawn ? [r.name] : [])), drawn));
  const scripts = [...files.values()].filter((f) => until.has(f.url));
  await page.context().close();
  return { drawn, used, kilobytes: scripts.reduce((sum, f) => sum + f.size, 0) / 1000, files: scripts.length };
}

/** Counts frames inside the page: how long from a key until what it does is drawn. */
const installFrames = (page) =>
  page.evaluate(() => {
    window.keyTimes = [];
    window.addEventListener(
      "keydown",
      (e) => {
        const began = e.timeStamp;
        // The frame after the next begins when the next one is drawn.
        requestAnimationFrame(() => requestAnimationFrame(() => window.keyTimes.push(performance.now() - began)));
      },
      true,
    );
  });

/** Moves through the list with j and then back with k. Gives how long each key took until it was drawn. */
async function move(page) {
  await installFrames(page);
  for (const key of ["j", "k"])
    for (let i = 0; i < steps; i++) {
      const before = await page.locator("li[data-here]").getAttribute("data-id");
      await page.keyboard.press(key);
      await page.waitForFunction((before) => document.querySelector("li[data-here]")?.dataset.id !== before, before);
    }
  await page.waitForFunction((n) => window.keyTimes.length >= n, 2 * steps - 1);
  return page.evaluate(() => window.keyTimes);
}

/** Opens requests from the list by a click, as a person does: first over the row, then a click. Gives how long each took to its text. */
async function open(page) {
  const took = [];
  for (let i = 0; i < opened; i++) {
    took.push(
      await page.evaluate(async (i) => {
        const row = document.querySelectorAll("li[data-id]")[i % 8];
        const title = row.querySelector("a").textContent;
        const began = performance.now();
        row.querySelector("a").click();
        const there = () => [...document.querySelectorAll("h1")].some((h) => h.textContent.includes(title)) && document.querySelector('[role="log"] article');
        while (!there()) await new Promise((next) => setTimeout(next, 1));
        return performance.now() - began;
      }, i),
    );
    await page.keyboard.press("Escape");
    await page.locator('[role="log"]').waitFor({ state: "detached" });
  }
  return took;
}

/** The heap in bytes, after a collection that is forced. */
async function heap(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.enable");
  for (let i = 0; i < 3; i++) await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  await cdp.detach();
  return usedSize;
}

/** Opens one request after the other with j. Gives the heap after 50 and after 500. An element that a wait returns would stay in memory. */
async function grow(page) {
  const sizes = [];
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.locator('[role="log"] article').first().waitFor();
  for (let i = 1; i <= 500; i++) {
    const before = page.url();
    await page.keyboard.press("j");
    await page.waitForFunction((before) => location.href !== before && document.querySelector('[role="log"] article') !== null, before);
    if (i === 50 || i === 500) sizes.push(await heap(page));
  }
  return sizes;
}

/** The CPU that a process has used, in ms, to the nanosecond. Zero where there is no /proc. */
async function cpuOf(pid) {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const all = await Promise.all(threads.map((t) => readFile(`/proc/${pid}/task/${t}/schedstat`, "utf8").catch(() => "0")));
  return all.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / 1e6;
}

/** What counting the views of the sidebar costs the server, in ms of CPU; with what it does at rest taken away. */
async function count(desk, page) {
  const asked = page.waitForResponse(/\/views\/counts\?/);
  await page.goto("/requests");
  const address = (await asked).url();
  await page.locator("li[data-id]").first().waitFor();
  const { request } = page.context();
  await page.goto("about:blank");
  await request.get(address);
  const rest = async (ms) => {
    const before = await cpuOf(desk.pid);
    await new Promise((next) => setTimeout(next, ms));
    return (await cpuOf(desk.pid)) - before;
  };
  const idle = (await rest(3000)) / 3000;
  const [before, began] = [await cpuOf(desk.pid), Date.now()];
  for (let i = 0; i < counts; i++) await request.get(address);
  return ((await cpuOf(desk.pid)) - before - idle * (Date.now() - began)) / counts;
}

async function measure(desk, name) {
  console.log(name);
  const times = [];
  for (let i = 0; i < loads; i++) times.push(await load(desk));
  const last = times.at(-1);
  report(`usable with an empty cache, median of ${loads}: answers a key`, middle(times.map((t) => t.used)), "ms", goals.usable, `; drawn after ${Math.round(middle(times.map((t) => t.drawn)))} ms`);
  report("JavaScript until then, compressed", last.kilobytes, "kB", goals.kilobytes, ` in ${last.files} files`);
  const page = await newPage(desk);
  await page.goto("/requests?state=any");
  await page.locator("li[data-id]").first().waitFor();
  await page.waitForLoadState("networkidle").catch(() => {});
  await page.keyboard.press("j");
  await page.locator("li[data-here]").waitFor();
  const moved = await move(page);
  report(`j and k, ${moved.length} of them, at worst until drawn`, Math.max(...moved), "ms", goals.frame, `; in the middle ${Math.round(middle(moved))} ms`);
  const took = await open(page);
  report(`a request from the list to its text, median of ${opened}`, middle(took), "ms", goals.opening, `; at worst ${Math.round(Math.max(...took))} ms`);
  if (await enough(desk)) {
    const [early, late] = await grow(page);
    report("heap after 500 requests, in that after 50", late / early, "", goals.growth, `; ${(early / 1e6).toFixed(1)} and ${(late / 1e6).toFixed(1)} MB`);
  }
  report("sidebar counts, CPU of the server", await count(desk, page), "ms", goals.counting);
  await page.context().close();
}

/** Whether there are requests enough to open 500. */
async function enough(desk) {
  let seen = 0;
  for (let cursor = ""; cursor !== null && seen <= 501;) {
    const { requests, response_metadata } = await desk.api("GET", `/requests?limit=100${cursor && `&next_cursor=${encodeURIComponent(cursor)}`}`);
    seen += requests.length;
    cursor = response_metadata.next_cursor;
  }
  return seen > 501;
}

const desk = await startDemo();
try {
  await measure(desk, "The inbox of the demo");
  const began = Date.now();
  await fill(desk, many);
  console.log(`\n${many} requests were imported in ${Math.round((Date.now() - began) / 1000)} s, until the server was at rest`);
  await measure(desk, `The inbox with ${many} requests`);
} finally {
  await close();
  await desk.stop();
}
