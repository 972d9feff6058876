// Sign-in and first run: the only calls of the app that are not of the API, since
// nobody is signed in yet.
import { queryOptions } from "@tanstack/react-query";
import { offline, problem } from "../api/client";

export type Door = {
  signed_in: boolean;
  first_run: boolean;
  /** An OpenID provider that may say who somebody is. */
  provider: { name: string } | null;
};

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { method, headers: body === undefined ? {} : { "Content-Type": "application/json" }, body: body === undefined ? null : JSON.stringify(body) });
  } catch (cause) {
    throw offline(cause);
  }
  const said: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) throw problem(response, said);
  return said as T;
}

export const doorQuery = queryOptions({ queryKey: ["door"], queryFn: () => call<Door>("GET", "/auth"), staleTime: 0 });

export type Invited = { email: string; name: string | null; account_name: string };

/** The accounts that somebody may enter. */
export type Choice = { accounts: { id: number; name: string; is_current: boolean }[] };

/** Signs somebody in. Returns the accounts to choose from when there are several and none was named. */
export const signIn = (body: { email: string; password: string; account_id?: number }) => call<Choice | null>("POST", "/auth/sign-in", body);

/** The accounts to choose from or to switch to. Empty for a member of one account. */
export const accountsQuery = queryOptions({ queryKey: ["accounts"], queryFn: async () => (await call<Choice>("GET", "/auth/accounts")).accounts, staleTime: Number.POSITIVE_INFINITY, retry: false });

const switched = "frontdesk-account";

export async function enterAccount(id: number): Promise<void> {
  await call<null>("POST", "/auth/account", { account_id: id });
  const others = new BroadcastChannel(switched);
  others.postMessage(id);
  others.close();
}

/** Reloads this tab when another tab switches accounts: both share the session, so this tab shows outdated data. */
export function followAccount(): () => void {
  const others = new BroadcastChannel(switched);
  others.onmessage = () => location.assign("/");
  return () => others.close();
}
export const signOut = () => call<null>("POST", "/auth/sign-out");
export const firstRun = (body: { code: string; account_name: string; name: string; email: string; password: string }) => call<null>("POST", "/auth/first-run", body);
export const invited = (invitation: string) => call<Invited>("POST", "/auth/invitation", { invitation });
export const welcome = (body: { invitation: string; password: string; name?: string }) => call<null>("POST", "/auth/welcome", body);
