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

export const signIn = (body: { email: string; password: string }) => call<null>("POST", "/auth/sign-in", body);
export const signOut = () => call<null>("POST", "/auth/sign-out");
export const firstRun = (body: { code: string; account_name: string; name: string; email: string; password: string }) => call<null>("POST", "/auth/first-run", body);
export const invited = (invitation: string) => call<Invited>("POST", "/auth/invitation", { invitation });
export const welcome = (body: { invitation: string; password: string; name?: string }) => call<null>("POST", "/auth/welcome", body);
