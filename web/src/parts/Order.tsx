// Lists that people put in order, with the mouse and with the keyboard.
import { t } from "@lingui/core/macro";
import { ActionIcon } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useLayoutEffect, useRef } from "react";
import { Tip } from "./Tip";

/** The list with one of it at another place. */
export function moved<T>(list: T[], from: number, to: number): T[] {
  const next = [...list];
  const [one] = next.splice(from, 1);
  if (one !== undefined) next.splice(to, 0, one);
  return next;
}

/** Returns a function to call before items move: the focused element keeps the focus at its new place. */
export function useKeepFocus(): () => void {
  const held = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (held.current instanceof HTMLElement && held.current !== document.activeElement) held.current.focus();
    held.current = null;
  });
  return () => {
    held.current = document.activeElement;
  };
}

/** Buttons to move an item up and down. At the ends a button stays but does nothing, so that it keeps the focus. */
export function MoveButtons({ what, at, of, move }: { what: string; at: number; of: number; move: (to: number) => void }) {
  const steps = [
    { to: at - 1, short: t`Move up`, label: t`Move ${what} up`, icon: IconArrowUp },
    { to: at + 1, short: t`Move down`, label: t`Move ${what} down`, icon: IconArrowDown },
  ];
  return steps.map(({ to, short, label, icon: Icon }) => {
    const possible = to >= 0 && to < of;
    return (
      <Tip key={short} label={short}>
        <ActionIcon aria-label={label} aria-disabled={!possible} opacity={possible ? 1 : 0.35} onClick={() => possible && move(to)}>
          <Icon size={16} aria-hidden />
        </ActionIcon>
      </Tip>
    );
  });
}
