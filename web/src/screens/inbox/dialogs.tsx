// The dialogs of the inbox that have a form. What forms are made of is fetched after the list, not with it.
import { type ReactNode, Suspense, lazy, useState } from "react";

const newRequest = () => import("./NewRequest").then((m) => ({ default: m.NewRequest }));
const mergeDialog = () => import("./MergeDialog").then((m) => ({ default: m.MergeDialog }));

export const NewRequest = lazy(newRequest);
export const MergeDialog = lazy(mergeDialog);

/** Fetches them before anybody asks for them. */
export const preloadDialogs = () => void Promise.all([newRequest(), mergeDialog()]).catch(() => {}); // who opens one is told

/** A dialog that is not there before it is first opened. It stays afterwards, so that it can be seen to close. */
export function Opened({ when, children }: { when: boolean; children: ReactNode }) {
  const [once, setOnce] = useState(when);
  if (when && !once) setOnce(true);
  return once && <Suspense>{children}</Suspense>;
}
