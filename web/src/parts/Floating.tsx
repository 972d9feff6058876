// A box beside what it is about: the control that was pressed, or the row that a key
// acts on. The page behind it stays as bright as it was.
import { createPortal } from "react-dom";
import { type CSSProperties, type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import classes from "./Floating.module.css";

/** The first of these places that can be seen; one that has the focus goes before its like. */
export function placeOf(selectors: readonly string[]): HTMLElement | null {
  for (const selector of selectors) {
    const found = [...document.querySelectorAll<HTMLElement>(selector)].filter((e) => e.checkVisibility() && e.getBoundingClientRect().width > 0);
    const place = found.find((e) => e.contains(document.activeElement)) ?? found[0];
    if (place) return place;
  }
  return null;
}

const width = 300;
const gap = 4;
const edge = 8;

/** Below the place, or above it where there is more room. It never leaves the window. */
function beside(place: HTMLElement): CSSProperties {
  const at = place.getBoundingClientRect();
  const wide = Math.min(width, innerWidth - 2 * edge);
  const left = Math.max(edge, Math.min(at.left, innerWidth - wide - edge));
  const below = innerHeight - at.bottom - gap - edge;
  const above = at.top - gap - edge;
  const up = below < 280 && above > below;
  return { left, width: wide, maxHeight: Math.max(160, up ? above : below), ...(up ? { bottom: innerHeight - at.top + gap } : { top: Math.max(edge, at.bottom + gap) }) };
}

type Props = { place: HTMLElement; label: string; close: () => void; children: ReactNode };

/** Takes the keys until it is closed: by Escape, by Tab, or by a press beside it. Then the focus is back where it was. */
export function Floating({ place, label, close, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [style, setStyle] = useState(() => beside(place));
  useLayoutEffect(() => {
    const before = document.activeElement;
    const own = box.current;
    own?.querySelector<HTMLElement>("[data-autofocus]")?.focus({ preventScroll: true });
    return () => {
      // Not if somebody has pressed something else.
      const lost = document.activeElement === document.body || own?.contains(document.activeElement);
      if (lost && before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  const follow = useEffectEvent(() => place.isConnected && setStyle(beside(place)));
  const shut = useEffectEvent(close);
  useEffect(() => {
    const moved = () => follow();
    const pressed = (e: PointerEvent) => {
      const at = e.target as Node;
      if (!box.current?.contains(at) && !place.contains(at)) shut();
    };
    window.addEventListener("resize", moved);
    window.addEventListener("scroll", moved, true);
    window.addEventListener("pointerdown", pressed, true);
    return () => {
      window.removeEventListener("resize", moved);
      window.removeEventListener("scroll", moved, true);
      window.removeEventListener("pointerdown", pressed, true);
    };
  }, [place]);
  return createPortal(
    <div
      ref={box}
      className={classes.box}
      style={style}
      role="dialog"
      aria-modal
      aria-label={label}
      onKeyDown={(e) => {
        if (e.key !== "Escape" && e.key !== "Tab") return;
        e.preventDefault();
        e.stopPropagation();
        close();
      }}
    >
      {children}
    </div>,
    document.body,
  );
}
