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
