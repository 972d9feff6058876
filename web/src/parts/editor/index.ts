// The editor is a third of the app's code, so it is loaded only where somebody writes.
import { lazy } from "react";

export type { EditorHandle } from "./Editor";
const load = () => import("./Editor");
export const Editor = lazy(load);

/** Fetches it before anybody asks for it. */
export const preloadEditor = () => void load().catch(() => {}); // who asks for it is told
