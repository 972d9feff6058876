// The editor is a third of all the code of the app, and fetched only where somebody writes.
import { lazy } from "react";

export type { EditorHandle } from "./Editor";
const load = () => import("./Editor");
export const Editor = lazy(load);

/** Fetches it before anybody asks for it. */
export const preloadEditor = () => void load().catch(() => {}); // who asks for it is told
