// The languages of the app. Texts stand in the code in English, as `t` and <Trans>. What they are in a language is in the
// .po files beside this one, in a folder for each part of the app (lingui.config.js).
import { type Messages, i18n } from "@lingui/core";
import { keptLanguage, preferences } from "../data/preferences";

/** The languages that there are, each by its own name. */
// eslint-disable-next-line lingui/no-unlocalized-strings
export const languages = { en: "English", de: "Deutsch" } as const;

export type Language = keyof typeof languages;

const files = import.meta.glob<{ messages: Messages }>("./*/*.po");

export const isLanguage = (name: string | undefined): name is Language => name !== undefined && Object.hasOwn(languages, name);

/** The language that somebody has chosen, or the first of their browser's that there is. */
export const wanted = (chosen: string | null): Language => [chosen ?? "", ...navigator.languages].map((l) => l.split("-")[0]).find(isLanguage) ?? "en";

/** The language of this page, for as long as it is open. */
export const language = wanted(preferences().language);

let followed = false;

/**
 * Opens the page anew if its person has chosen another language on another device. Only at the beginning, since later it
 * would disturb, and not in a browser that keeps nothing, since that would never end.
 */
export function followLanguage() {
  const was = followed;
  followed = true;
  if (!was && wanted(preferences().language) !== language && wanted(keptLanguage()) !== language) location.reload();
}

/** How dates and numbers are written: as where the browser is at home, if the language is spoken there. */
export const locale = navigator.languages.find((l) => l.split("-")[0] === language) ?? language;

/** Loads what a part of the app says. */
async function load(part: string) {
  const file = files[`./${part}/${language}.po`];
  if (!file) throw new Error(`There are no texts of ${part}.`);
  i18n.load(language, (await file()).messages);
}

// It would be shown as its id. That must not happen, so tests fail by it.
i18n.on("missing", ({ id }) => console.error(`The text ${id} is not loaded.`));

/** Loads what every part says. Before that, nothing can be drawn. */
export async function beginTexts() {
  document.documentElement.lang = language;
  await load("common");
  i18n.activate(language, locale);
}

/** Returns a screen's code together with what it says. */
export async function withTexts<T>(part: string, code: Promise<T>): Promise<T> {
  const [it] = await Promise.all([code, load(part)]);
  return it;
}
