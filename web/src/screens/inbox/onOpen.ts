// What the request that is open can ask of the inbox around it. It is about this
// request, whatever is selected on the list.
import { createContext, useContext } from "react";
import type { Choosing } from "./Choices";

export type OnOpen = {
  /** Opens what one of its properties can be set to, at the control of this property. */
  choose: (what: Choosing) => void;
  /** What is open of these. */
  choosing: Choosing | null;
  assignToMe: () => void;
  solve: () => void;
  reopen: () => void;
  solveAndNext: () => void;
  next: () => void;
};

const nothing = () => {};
export const OnOpenContext = createContext<OnOpen>({ choose: nothing, choosing: null, assignToMe: nothing, solve: nothing, reopen: nothing, solveAndNext: nothing, next: nothing });
export const useOnOpen = () => useContext(OnOpenContext);
