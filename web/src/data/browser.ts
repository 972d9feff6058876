// What this browser stores for the signed-in member: text in localStorage, which is
// synchronous, and files in IndexedDB, which is not. Everything is stored under the
// member who wrote it, so other members who sign in here do not see it.
import { queryClient } from "./client";
import { meQuery } from "./me";

/** The account and member that rows belong to; null until they are known. */
export function whose(): string | null {
  const me = queryClient.getQueryData(meQuery.queryKey);
  return me ? `${me.account.id}.${me.member.id}` : null;
}

/** The name of a row of theirs, as in "draft.17". */
function nameOf(row: string): string | null {
  const who = whose();
  return who === null ? null : `frontdesk.${who}.${row}`;
}

/** What is kept in a row; null where there is nothing. */
export function keptRow<T>(row: string): T | null {
  const name = nameOf(row);
  if (name === null) return null;
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") as T | null;
  } catch {
    return null; // what is kept there is not ours, or may not be read
  }
}

/** The member's rows whose names start with `begin`, without that prefix. */
export function keptRows(begin: string): string[] {
  const name = nameOf(begin);
  if (name === null) return [];
  try {
    return Object.keys(localStorage)
      .filter((k) => k.startsWith(name))
      .map((k) => k.slice(name.length));
  } catch {
    return [];
  }
}

/** Stores a row, or deletes it when the value is null. False when the browser refuses: then it is lost when the page closes. */
export function keepRow(row: string, value: unknown): boolean {
  const name = nameOf(row);
  if (name === null) return false;
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Calls f with each of the member's rows that another window deletes. Returns a function that stops it. */
export function whenForgotten(f: (row: string) => void): () => void {
  const look = (e: StorageEvent) => {
    const name = nameOf("");
    if (name !== null && e.newValue === null && e.key?.startsWith(name)) f(e.key.slice(name.length));
  };
  window.addEventListener("storage", look);
  return () => window.removeEventListener("storage", look);
}

/** A file that is kept, as a row names it. */
export type KeptFile = { id: string; name: string };

// A file that was chosen here, and its id in the database.
const ids = new WeakMap<File, string>();

let opened: Promise<IDBDatabase> | null = null;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open("frontdesk", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("files").createIndex("whose", "whose");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  }).catch((error: unknown) => {
    opened = null; // it may work the next time
    throw error;
  });
  return opened;
}

async function inFiles<T>(mode: IDBTransactionMode, run: (files: IDBObjectStore) => IDBRequest<T> | null): Promise<T | null> {
  const transaction = (await database()).transaction("files", mode);
  return new Promise((resolve, reject) => {
    const asked = run(transaction.objectStore("files"));
    transaction.oncomplete = () => resolve(asked?.result ?? null);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Keeps files; it fails where there is no room for them. */
export async function keepFiles(files: File[]): Promise<void> {
  const who = whose();
  await inFiles("readwrite", (store) => {
    for (const file of files) store.put({ whose: who, file }, idOf(file));
    return null;
  });
}

/** Forgets files that were sent or thrown away. */
export function forgetFiles(files: File[]) {
  if (files.length === 0) return;
  inFiles("readwrite", (store) => {
    for (const file of files) store.delete(idOf(file));
    return null;
  }).catch(() => {}); // they are swept when the app is next opened
}

function idOf(file: File): string {
  let id = ids.get(file);
  if (id === undefined) ids.set(file, (id = randomKey()));
  return id;
}

/** What a row says of files. */
export const namesOf = (files: File[]): KeptFile[] => files.map((file) => ({ id: idOf(file), name: file.name }));

/** The files that a row names, and the names of those that the browser has lost. */
export async function keptFiles(named: KeptFile[]): Promise<{ files: File[]; lost: string[] }> {
  const files: File[] = [];
  const lost: string[] = [];
  for (const { id, name } of named) {
    const row = await inFiles<{ whose: string; file: File } | undefined>("readonly", (store) => store.get(id)).catch(() => null);
    if (row?.whose === whose()) {
      ids.set(row!.file, id);
      files.push(row!.file);
    } else lost.push(name);
  }
  return { files, lost };
}

/** Deletes the member's files that no row names. They are left over when the page closes before a cleanup. */
export async function sweepFiles(named: KeptFile[]): Promise<void> {
  const who = whose();
  if (who === null) return;
  const used = new Set(named.map((f) => f.id));
  const all = await inFiles("readonly", (store) => store.index("whose").getAllKeys(who)).catch(() => null);
  await inFiles("readwrite", (store) => {
    for (const id of all ?? []) if (!used.has(String(id))) store.delete(id);
    return null;
  }).catch(() => {});
}

/** A random key. crypto.randomUUID is not available on a page without https. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}
