// What a language model helps with: summaries, drafts and translations. Each is asked
// for, shown as what it is, and kept only as long as the app is open.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { keepRow, keptRow } from "./browser";
import { useMayWrite, useMe } from "./me";
import { preferences } from "./preferences";
import { locale } from "../texts";
import type { Message } from "./requests";

export type Summary = Schemas["SummaryAnswer"]["summary"];
export type ModelDraft = Schemas["DraftAnswer"]["draft"];
export type Translation = Schemas["TranslationAnswer"]["translation"];

/** Whether there is a model, for somebody who may ask it. */
export function useHasModel(): boolean {
  const me = useMe();
  return useMayWrite() && me!.has_model;
}

/** The language of the reader: that of the app if they chose one, or else that of their browser. */
export function readersLanguage(): string {
  const language = preferences().language ?? navigator.language;
  return /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/.test(language) ? language : "en";
}

/** What a language is called; null for one that nobody knows. */
export function languageName(tag: string | null): string | null {
  if (tag === null) return null;
  try {
    return new Intl.DisplayNames([locale], { type: "language", fallback: "none" }).of(tag) ?? null;
  } catch {
    return null;
  }
}

// Nobody but a person asks, so these are never read by themselves, nor again.
const once = { enabled: false, retry: false, staleTime: 0 } as const;

export const summaryQuery = (requestId: number) =>
  queryOptions({
    ...once,
    queryKey: ["summary", requestId],
    queryFn: async ({ signal }) => (await ask(api.POST("/v1/rest/requests/{id}/summary", { params: { path: { id: requestId } }, body: { language: readersLanguage() }, signal }))).summary,
  });

export const draftQuery = (requestId: number) =>
  queryOptions({
    ...once,
    queryKey: ["model draft", requestId],
    queryFn: async ({ signal }) => (await ask(api.POST("/v1/rest/requests/{id}/draft", { params: { path: { id: requestId } }, signal }))).draft,
  });

/** A message that was edited is another text. */
export const translationQuery = (message: Message) =>
  queryOptions({
    ...once,
    queryKey: ["translation", message.id, message.html_body],
    queryFn: async ({ signal }) => (await ask(api.POST("/v1/rest/messages/{id}/translation", { params: { path: { id: message.id } }, body: { language: readersLanguage() }, signal }))).translation,
  });

/** Asks the model. What comes, and why nothing does, is where the query is shown. */
export function askModel(client: QueryClient, query: ReturnType<typeof summaryQuery> | ReturnType<typeof draftQuery> | ReturnType<typeof translationQuery>) {
  void client.fetchQuery(query as ReturnType<typeof summaryQuery>).catch(() => {});
}

/** Translates a text into the language of the customer of a request. */
export async function translateForCustomer(requestId: number, html: string, signal: AbortSignal): Promise<Translation> {
  return (await ask(api.POST("/v1/rest/requests/{id}/translation", { params: { path: { id: requestId } }, body: { html_body: html }, signal }))).translation;
}

/** A text in the composer of a request that is still as the model wrote it; "" for none. */
export const unedited = (requestId: number): string => keptRow<string>(`model.${requestId}`) ?? "";
export const keepUnedited = (requestId: number, html: string) => void keepRow(`model.${requestId}`, html === "" ? null : html);
