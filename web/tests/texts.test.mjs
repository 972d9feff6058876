// The languages of the app: which one a page speaks, how it writes numbers and dates, and that nothing is left untranslated.
import { compileMessage } from "@lingui/message-utils/compileMessage";
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { startDemo } from "./app.mjs";
import { accessible, close, launch, until, withPage } from "./browser.mjs";
import { sources } from "./source.mjs";

let desk;

before(async () => {
  [desk] = await Promise.all([startDemo(), launch()]);
});

after(async () => {
  await close();
  await desk?.stop();
});

const german = { locale: "de-DE" };
const lang = (page) => page.locator("html").getAttribute("lang");
const rail = (page, name) => page.getByRole("navigation", { name, exact: true });
const inbox = (page, name) => rail(page, name === "Eingang" ? "Hauptnavigation" : "Main").getByRole("link", { name, exact: true });

/** The language that the server keeps for whoever is signed in. */
const choose = (page, language) => page.request.patch("/v1/rest/me/preferences", { data: { language }, headers: { Origin: desk.url } });

test("in a German browser, the sign-in, the frame and the inbox are German", async () => {
  await withPage(
    desk,
    async (page) => {
      await page.goto("/sign-in");
      await page.getByRole("heading", { name: "Anmelden" }).waitFor();
      assert.equal(await lang(page), "de");
      await accessible(page, "the sign-in in German");
      await page.getByLabel("E-Mail").fill(desk.email);
      await page.getByRole("textbox", { name: "Passwort" }).fill(desk.password);
      await page.getByRole("button", { name: "Anmelden" }).click();

      await inbox(page, "Eingang").waitFor();
      assert.equal(await lang(page), "de");
      const row = page.locator("li[data-id]").first();
      await row.getByRole("img", { name: "Offen" }).waitFor();
      await accessible(page, "the inbox in German");

      // Keys and commands, by what they are called in German.
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Tastenkürzel" }).getByText("Strg+k").waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Befehl, Anfrage oder Kunden suchen" }).fill("ank");
      await page.getByRole("option", { name: "Ankündigungen öffnen" }).click();
      await page.waitForURL("**/announcements");

      // When the session ends elsewhere, the dialog knows its words, though the sign-in's own screen is not loaded.
      await page.goto("/requests");
      await row.waitFor();
      await page.request.post("/auth/sign-out", { headers: { Origin: desk.url } });
      await page.keyboard.press("g");
      await page.keyboard.press("c");
      const again = page.getByRole("dialog", { name: "Erneut anmelden" });
      await again.getByRole("textbox", { name: "Passwort" }).fill(desk.password);
      await again.getByRole("button", { name: "Anmelden" }).click();
      await again.waitFor({ state: "detached" });
    },
    { ...german, signedIn: false, expected: /40[13]/ },
  );
});

test("the language of the preferences wins over the browser's, here, after a reload and on another device", async () => {
  await withPage(desk, async (page) => {
    await page.goto("/settings/preferences");
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("heading", { name: "Vorlieben", level: 1 }).waitFor();
    await until("the server has it", async () => (await (await page.request.get("/v1/rest/me/preferences")).json()).preferences.language === "de");
    await page.reload();
    await page.getByRole("heading", { name: "Vorlieben", level: 1 }).waitFor();
    assert.equal(await lang(page), "de");
  });
  // Another device learns it from the server, opens its page anew, and knows it from then on.
  await withPage(desk, async (page) => {
    const opened = [];
    page.on("load", () => opened.push(page.url()));
    await page.goto("/requests");
    await inbox(page, "Eingang").waitFor();
    await page.locator("li[data-id]").first().waitFor();
    assert.equal(opened.length, 2, "it is opened anew once");
    await page.goto("/customers");
    await inbox(page, "Eingang").waitFor();
    await page.getByRole("row").nth(1).waitFor();
    assert.equal(opened.length, 3, "it knows the language already");
  });
  // Somebody may want English in a German browser, and then what the browser says again.
  await withPage(
    desk,
    async (page) => {
      await choose(page, "en");
      await page.goto("/settings/preferences");
      await inbox(page, "Inbox").waitFor();
      assert.equal(await lang(page), "en");
      await page.getByLabel("Language").selectOption("As the browser: Deutsch");
      await inbox(page, "Eingang").waitFor();
      await until("the server has it", async () => (await (await page.request.get("/v1/rest/me/preferences")).json()).preferences.language === null);
    },
    german,
  );
});

test("a browser that speaks neither gets English", async () => {
  await withPage(
    desk,
    async (page) => {
      await page.goto("/sign-in");
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      assert.equal(await lang(page), "en");
    },
    { locale: "fr-FR", signedIn: false },
  );
});

test("dates follow the browser's place", async () => {
  for (const [locale, form] of [
    ["en-GB", /^[A-Z][a-z]+,? \d{1,2} [A-Z][a-z]+$/],
    ["en-US", /^[A-Z][a-z]+, [A-Z][a-z]+ \d{1,2}$/],
    ["de-DE", /^[A-Z][a-z]+, \d{1,2}\. [A-Zä][a-zä]+$/],
  ])
    await withPage(
      desk,
      async (page) => {
        await page.goto("/sandbox");
        const log = page.getByRole("log");
        await log.getByRole("article").first().waitFor();
        // The line above a day's messages.
        const days = await log.locator("div[class*=day]").allTextContents();
        assert.ok(days.length > 0);
        for (const day of days) assert.match(day, form, locale);
      },
      { locale },
    );
});

test("dates, lengths and sizes are written as at the browser's place", async () => {
  const of = async (locale) => {
    const [{ size }, { shortLength, dateAndTime }, { dayNames, weekInWords }] = await sources(["parts/bytes.ts", "parts/time.tsx", "parts/week.ts"], { locale });
    const nine = [{ from: "09:00", to: "17:00" }];
    const week = { monday: nine, tuesday: nine, wednesday: nine, thursday: nine, friday: nine, saturday: [{ from: "00:00", to: "24:00" }], sunday: [] };
    return [size(120), size(1_250_000), shortLength(13_200_000), dateAndTime("2024-05-13T07:12:00Z").replace(/\d\d:\d\d/, "hh:mm"), dayNames.monday, weekInWords(week), weekInWords(week, true)];
  };
  assert.deepEqual(await of("en-GB"), ["120 bytes", "1.3 MB", "3h 40m", "13 May 2024 hh:mm", "Monday", "Monday to Friday 09:00–17:00; Saturday all day", "Mon–Fri 09:00–17:00; Sat all day"]);
  assert.match((await of("en-US"))[3], /^May 13, 2024 hh:mm/);
  assert.deepEqual(await of("de-DE"), ["120 Byte", "1,3 MB", "3 h 40 m", "13. Mai 2024 hh:mm", "Montag", "Montag bis Freitag 09:00–17:00; Samstag ganztägig", "Mo–Fr 09:00–17:00; Sa ganztägig"]);
});

test("no screen lacks a text", async () => {
  // withPage fails where the console has an error, and a text that is missing is one.
  await withPage(
    desk,
    async (page) => {
      const { requests } = await desk.api("GET", "/requests?limit=1");
      const { customers } = await desk.api("GET", "/customers?limit=1");
      const paths = [
        "/requests",
        `/requests/${requests[0].id}`,
        "/customers",
        `/customers/${customers[0].id}`,
        "/announcements",
        "/announcements/new",
        "/insights",
        "/insights/explorer",
        "/sandbox",
        "/mailbox",
        "/mailbox?write=new",
        "/settings",
        "/accounts",
      ];
      for (const path of paths) {
        await page.goto(path);
        await page.getByRole("heading").first().waitFor({ state: "attached" });
        await until(`${path} is drawn`, async () => (await page.locator("[aria-busy=true]").count()) === 0);
      }
    },
    german,
  );
});

/** The texts of a catalog, by their context and their words. */
async function catalog(part, language) {
  const file = await readFile(new URL(`../src/texts/${part}/${language}.po`, import.meta.url), "utf8");
  const of = (block, name) => {
    const found = new RegExp(`^${name} ((?:".*"\n?)+)`, "m").exec(block)?.[1] ?? "";
    return [...found.matchAll(/^"(.*)"$/gm)].map((m) => JSON.parse(`"${m[1]}"`)).join("");
  };
  return file
    .split("\n\n")
    .map((block) => ({ context: of(block, "msgctxt"), text: of(block, "msgid"), says: of(block, "msgstr") }))
    .filter(({ text }) => text !== "");
}

/** The names of the parts that have texts of their own. */
const partNames = async () => (await readdir(new URL("../src/texts/", import.meta.url), { withFileTypes: true })).filter((e) => e.isDirectory()).map((e) => e.name);

/** The names of the values in a compiled message, also in the branches of a plural. */
function namesIn(tokens) {
  if (!Array.isArray(tokens)) return [];
  return tokens.flatMap((token) => {
    if (!Array.isArray(token)) return [];
    const [name, , branches] = token;
    return [name, ...Object.values(typeof branches === "object" ? branches : {}).flatMap(namesIn)];
  });
}

test("a translation has the values and the elements of its text", async () => {
  const parts = await partNames();
  assert.ok(parts.length > 0);
  const values = (text) => [...new Set([...namesIn(compileMessage(text)), ...(text.match(/<\/?\d+\/?>/g) ?? [])])].sort().join(" ");
  for (const name of parts)
    for (const { text, says } of await catalog(name, "de")) {
      assert.notEqual(says, "", `${name}: ${text}`);
      assert.equal(values(says), values(text), `${name}: ${text}`);
    }
});

// A text has one id wherever it stands, so the part that is loaded last would decide.
test("a text that stands in several parts has one translation", async () => {
  const known = new Map();
  for (const name of await partNames())
    for (const { context, text, says } of await catalog(name, "de")) {
      const id = `${context} ${text}`;
      assert.equal(says, known.get(id) ?? says, `${name}: ${text}; give it a context if it means something else here`);
      known.set(id, says);
    }
});
