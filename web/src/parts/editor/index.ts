// The editor is a third of all the code of the app, and fetched only where somebody writes.
import { lazy } from "react";

export type { EditorHandle } from "./Editor";
export const Editor = lazy(() => import("./Editor"));
