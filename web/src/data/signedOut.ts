// Whether the session is over while the page is still open.
import { useSyncExternalStore } from "react";

let over = false;
const listeners = new Set<() => void>();

export function setSignedOut(now: boolean) {
  if (now === over) return;
  over = now;
  for (const l of listeners) l();
}

export function useSignedOut(): boolean {
  return useSyncExternalStore(
    (l) => {
      listeners.add(l);
      return () => listeners.delete(l);
    },
    () => over,
  );
}

/** Waits until somebody has signed in again. */
export function signedInAgain(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (over) return;
      listeners.delete(look);
      resolve();
    };
    listeners.add(look);
  });
}
