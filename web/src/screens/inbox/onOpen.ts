// What the request that is open can ask of the inbox around it. It is about this
// request, whatever is selected on the list.
import { createContext, useContext } from "react";

export type OnOpen = { snooze: () => void; solveAndNext: () => void; next: () => void };

const nothing = () => {};
export const OnOpenContext = createContext<OnOpen>({ snooze: nothing, solveAndNext: nothing, next: nothing });
export const useOnOpen = () => useContext(OnOpenContext);
