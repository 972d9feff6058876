import { type FloatingPosition, Tooltip } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { type ComponentProps, type PointerEvent, type ReactElement, type ReactNode, cloneElement, useEffect, useId, useRef, useState } from "react";

const delay = 400;

type Props = Pick<ComponentProps<typeof Tooltip>, "multiline" | "maw" | "w"> & {
  label: ReactNode;
  position?: FloatingPosition;
  /** An element that takes the props and the ref of one in the page. */
  children: ReactElement<ComponentProps<"button">>;
};

/**
 * What a thing is called or what its key is, while a mouse rests on it. Until then there is nothing but its handler: a
 * screen has dozens of these, and a tooltip of Mantine costs as much as ten elements even if nobody ever sees it.
 * Whatever else it is given, by the target of a menu, is the child's.
 */
export function Tip({ label, position, multiline, maw, w, children, ...others }: Props) {
  const [over, setOver] = useState<HTMLElement | null>(null);
  const leave = useRef<() => void>(undefined);
  useEffect(() => () => leave.current?.(), []);
  const id = useId();
  const enter = (e: PointerEvent<HTMLButtonElement>) => {
    children.props.onPointerEnter?.(e);
    if (e.pointerType === "touch") return;
    leave.current?.();
    const element = e.currentTarget;
    const wait = window.setTimeout(() => setOver(element), delay);
    // React says nothing when the pointer leaves a button that has been disabled.
    const left = new AbortController();
    leave.current = () => {
      window.clearTimeout(wait);
      left.abort();
      setOver(null);
    };
    for (const what of ["pointerleave", "pointerdown"]) element.addEventListener(what, leave.current, { signal: left.signal });
  };
  return (
    <>
      {cloneElement(children, { ...others, ...children.props, onPointerEnter: enter, ...(over && { "aria-describedby": id }) })}
      {over && (
        <Shown
          id={id}
          over={over}
          leave={() => leave.current?.()}
          label={label}
          {...(position && { position })}
          {...(multiline && { multiline })}
          {...(maw !== undefined && { maw })}
          {...(w !== undefined && { w })}
        />
      )}
    </>
  );
}

type ShownProps = Omit<Props, "children"> & { id: string; over: HTMLElement; leave: () => void };

function Shown({ id, over, leave, label, ...props }: ShownProps) {
  useWindowEvent("keydown", (e) => e.key === "Escape" && leave());
  // The tooltip has an id of its own, which it tells nobody.
  return <Tooltip {...props} opened target={over} label={<span id={id}>{label}</span>} />;
}
