// A screen in two parts, one of which has a width that people choose, and can be
// folded away. Both are kept in this browser.
import { t } from "@lingui/core/macro";
import { ActionIcon } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconLayoutSidebarRightCollapse, IconLayoutSidebarRightExpand } from "@tabler/icons-react";
import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { prefer, preferences, usePreferences } from "../data/preferences";
import classes from "./Panes.module.css";
import { Tip } from "./Tip";

/** Whether there is only room for one thing at a time. */
export function useIsPhone(): boolean {
  return useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
}

/** Whether a pane is folded away, and what folds it or brings it back. `usually` holds until somebody has chosen. */
export function useFolded(name: string, usually = false): [folded: boolean, fold: (folded: boolean) => void] {
  const { folded } = usePreferences();
  return [folded[name] ?? usually, (now) => prefer({ folded: { ...preferences().folded, [name]: now } })];
}

type Side = "start" | "end";

type Props = {
  /** What its width is kept under. */
  name: string;
  /** What it is called, as in "Properties". */
  label: string;
  /** At which side of the rest the pane is. */
  side: Side;
  usual: number;
  least: number;
  most: number;
  pane: ReactNode;
  children: ReactNode;
  /** On a phone there is only one of the two. */
  phone: "pane" | "rest";
};

/** A pane that can be made wider and narrower, and the rest beside it. */
export function Split({ name, label, side, usual, least, most, pane, children, phone }: Props) {
  const { panes } = usePreferences();
  const [folded, fold] = useFolded(name);
  const isPhone = useIsPhone();
  const [moving, setMoving] = useState<number | null>(null);
  const from = useRef({ x: 0, width: 0 });

  const within = (w: number) => Math.round(Math.min(most, Math.max(least, w)));
  const width = moving ?? within(panes[name] ?? usual);
  const keep = (w: number) => prefer({ panes: { ...preferences().panes, [name]: within(w) } });
  const outwards = side === "start" ? 1 : -1;

  const onKeyDown = (e: KeyboardEvent) => {
    const step = e.key === "ArrowRight" ? 16 : e.key === "ArrowLeft" ? -16 : 0;
    if (step !== 0) keep(width + step * outwards);
    else if (e.key === "Enter") fold(true);
    else return;
    e.preventDefault();
  };
  const onPointerDown = (e: PointerEvent<HTMLDivElement>) => {
    if (e.button !== 0) return;
    e.currentTarget.setPointerCapture(e.pointerId);
    from.current = { x: e.clientX, width };
    setMoving(width);
  };
  const onPointerMove = (e: PointerEvent) => {
    if (moving !== null) setMoving(within(from.current.width + (e.clientX - from.current.x) * outwards));
  };
  const onPointerUp = () => {
    if (moving !== null) keep(moving);
    setMoving(null);
  };
  const edge = (
    <div
      className={classes.edge}
      role="separator"
      tabIndex={0}
      aria-label={t`Width of ${label}`}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      {...(moving !== null && { "data-moving": true })}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onDoubleClick={() => keep(usual)}
    />
  );
  const sized = (
    <div className={classes.pane} style={{ "--width": `${width}px` } as CSSProperties}>
      {pane}
    </div>
  );
  // The rest keeps its place in the tree when the pane is folded, because somebody may be writing in it.
  const beside = !isPhone && !folded;
  return (
    <div className={classes.split}>
      {beside && side === "start" && sized}
      {beside && side === "start" && edge}
      <div className={classes.rest}>{isPhone && phone === "pane" ? pane : children}</div>
      {beside && side === "end" && edge}
      {beside && side === "end" && sized}
    </div>
  );
}

/** Folds a pane away, or brings it back. There is nothing to fold on a phone. */
export function FoldButton({ name, label, side, usually }: { name: string; label: string; side: Side; usually?: boolean }) {
  const [folded, fold] = useFolded(name, usually);
  if (useIsPhone()) return null;
  const [Open, Close] = side === "start" ? [IconLayoutSidebarLeftExpand, IconLayoutSidebarLeftCollapse] : [IconLayoutSidebarRightExpand, IconLayoutSidebarRightCollapse];
  const does = folded ? t`Show ${label}` : t`Hide ${label}`;
  return (
    <Tip label={does}>
      <ActionIcon aria-label={does} aria-expanded={!folded} onClick={() => fold(!folded)}>
        {folded ? <Open size={16} aria-hidden /> : <Close size={16} aria-hidden />}
      </ActionIcon>
    </Tip>
  );
}
