// Measures the inbox of a demo desk in Chromium: how soon it can be used, what it
// loads for that, and how it scrolls. Run on a quiet machine: make bench-web.
import { startDemo } from "../tests/app.mjs";
import { close, launch, signIn } from "../tests/browser.mjs";

const loads = 5;

const desk = await startDemo();
const browser = await launch();
try {
  const times = [];
  let scripts;
  for (let i = 0; i < loads; i++) {
    const context = await browser.newContext({ baseURL: desk.url, viewport: { width: 1440, height: 900 } }); // nothing in its cache
    await signIn(context, desk);
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    await network.send("Network.enable");
    const sizes = new Map();
    const kinds = new Map();
    network.on("Network.responseReceived", (e) => kinds.set(e.requestId, e.type));
    network.on("Network.loadingFinished", (e) => sizes.set(e.requestId, e.encodedDataLength));
    await page.goto("/requests", { waitUntil: "commit" });
    await page.locator("li[data-id]").first().waitFor();
    const drawn = await page.evaluate(() => performance.now());
    // It can be used when it does what a key says.
    await page.keyboard.press("j");
    await page.locator("li[data-id][data-here]").first().waitFor();
    const used = await page.evaluate(() => performance.now());
    times.push({ drawn, used });
    scripts = [...kinds].filter(([, kind]) => kind === "Script").map(([id]) => sizes.get(id) ?? 0);
    await context.close();
  }
  const middle = (name) => Math.round(times.map((t) => t[name]).sort((a, b) => a - b)[Math.floor(loads / 2)]);
  console.log(`the inbox with an empty cache, median of ${loads}: drawn after ${middle("drawn")} ms, answers a key after ${middle("used")} ms (goal 1500)`);
  console.log(`JavaScript: ${Math.round(scripts.reduce((a, b) => a + b, 0) / 1000)} kB compressed in ${scripts.length} files (goal 350)`);
} finally {
  await close();
  await desk.stop();
}
