// What stands in empty places: a few lines of our own, in the colour of the text around, and one shape in the accent.
import type { ReactNode } from "react";
import classes from "./drawings.module.css";

function Drawing({ children }: { children: ReactNode }) {
  return (
    <svg className={classes.drawing} viewBox="0 0 120 84" width={120} height={84} aria-hidden>
      {children}
    </svg>
  );
}

const accent = classes.accent!;

/** A tray with nothing in it. */
export const EmptyTray = () => (
  <Drawing>
    <path className={accent} d="M20 48h24c2 8 8 12 16 12s14-4 16-12h24v20a4 4 0 0 1-4 4H24a4 4 0 0 1-4-4z" />
    <path d="M20 48 32 24h56l12 24v20a4 4 0 0 1-4 4H24a4 4 0 0 1-4-4zm0 0h24c2 8 8 12 16 12s14-4 16-12h24M60 8v7M44 11l3 6M76 11l-3 6" />
  </Drawing>
);

/** A glass that shows nothing. */
export const NothingFound = () => (
  <Drawing>
    <circle className={accent} cx="54" cy="36" r="22" />
    <circle cx="54" cy="36" r="22" />
    <path d="m70 52 20 20M46 36h16" />
  </Drawing>
);

/** A shop that nobody runs yet. */
export const NoCustomers = () => (
  <Drawing>
    <path className={accent} d="M30 14h60l8 20a9.5 9.5 0 0 1-19 0 9.5 9.5 0 0 1-19 0 9.5 9.5 0 0 1-19 0 9.5 9.5 0 0 1-19 0z" />
    <path d="M30 14h60l8 20a9.5 9.5 0 0 1-19 0 9.5 9.5 0 0 1-19 0 9.5 9.5 0 0 1-19 0 9.5 9.5 0 0 1-19 0zM28 44v28M92 44v28M18 72h84M52 72V54h16v18" />
  </Drawing>
);

/** A horn that is silent. */
export const NoAnnouncements = () => (
  <Drawing>
    <path className={accent} d="m36 34 42-18v46L36 48z" />
    <path d="m36 34 42-18v46L36 48zM36 34h-6a7 7 0 0 0 0 14h6M43 50l4 20h10l-4-16M87 30a13 13 0 0 1 0 18" />
  </Drawing>
);

/** Bars that are still to come. */
export const NoInsights = () => (
  <Drawing>
    <path className={accent} d="M34 52h14v18H34z" />
    <path d="M22 12v58h78M34 52h14v18H34z" />
    <path strokeDasharray="3 5" d="M57 38h14v32H57zM80 22h14v48H80z" />
  </Drawing>
);

/** The bell of the desk. */
export const Bell = () => (
  <Drawing>
    <path className={accent} d="M34 60a26 26 0 0 1 52 0z" />
    <path d="M34 60a26 26 0 0 1 52 0zM28 69h64M60 34v-6" />
    <circle cx="60" cy="23" r="4" />
  </Drawing>
);

/** The bell, and nobody is waiting at it. */
export const AllDone = () => (
  <Drawing>
    <path className={accent} d="M34 60a26 26 0 0 1 52 0z" />
    <path d="M34 60a26 26 0 0 1 52 0zM28 69h64M60 34v-6m-9 21 6 6 12-12" />
    <circle cx="60" cy="23" r="4" />
  </Drawing>
);
