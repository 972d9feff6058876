// The scroll position of a conversation. At the end it follows new messages. Anywhere
// else nothing moves, and new messages are counted. Back leads to where it was left.
import { useLocation } from "@tanstack/react-router";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

// A long conversation is drawn from its end, and further back as somebody scrolls.
const step = 120;
const nearTop = 600;
const nearEnd = 48;

/** Where a conversation was left that was not read at its end. */
type Left = { top: number; drawn: number; count: number };

// By the step of the browser's history and the request: opened anew, a request begins at its end.
const left = new Map<string, Left>();
const mostLeft = 100;

function leave(step: string, place: Left | null) {
  left.delete(step);
  if (place) left.set(step, place);
  if (left.size > mostLeft) left.delete(left.keys().next().value!);
}

type Reading = {
  box: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** How many of the newest messages are drawn. */
  drawn: number;
  /** How many came while somebody was reading further up. */
  unseen: number;
  onScroll: () => void;
  toEnd: () => void;
};

/** lastId is that of the newest message, mine counts what was just written here. */
export function useReading(requestId: number, count: number, lastId: number, mine: number): Reading {
  const here = `${useLocation({ select: (l) => l.state.__TSR_key })} ${requestId}`;
  const back = useRef(left.get(here)).current;
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(back === undefined);
  const fromEnd = useRef<number | null>(null);
  const [drawn, setDrawn] = useState(back ? back.drawn + Math.max(0, count - back.count) : step);
  const [unseen, setUnseen] = useState(0);

  const toEnd = useCallback(() => {
    atEnd.current = true;
    setUnseen(0);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, []);

  const before = useRef({ count, lastId });
  useLayoutEffect(() => {
    const { count: had, lastId: last } = before.current;
    before.current = { count, lastId };
    if (atEnd.current) toEnd();
    else if (lastId !== last && count > had) setUnseen((n) => n + count - had);
  }, [count, lastId, toEnd]);
  useLayoutEffect(() => {
    if (back && box.current) box.current.scrollTop = back.top;
  }, [back]);
  const shown = useRef({ drawn, count });
  shown.current = { drawn, count };
  useLayoutEffect(() => {
    const b = box.current;
    return () => leave(here, b && !atEnd.current ? { top: b.scrollTop, ...shown.current } : null);
  }, [here]);
  // Who has just written wants to see it.
  useLayoutEffect(() => {
    if (mine > 0) toEnd();
  }, [mine, toEnd]);

  // What is drawn further up must not push down what is being read.
  useLayoutEffect(() => {
    if (fromEnd.current !== null && box.current) box.current.scrollTop = box.current.scrollHeight - fromEnd.current;
    fromEnd.current = null;
  }, [drawn]);

  // A picture that has come, or an editor that has grown, must not hide the end.
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
    });
    if (box.current) watch.observe(box.current);
    if (content.current) watch.observe(content.current);
    return () => watch.disconnect();
  }, []);

  const onScroll = () => {
    const b = box.current;
    if (!b) return;
    atEnd.current = b.scrollHeight - b.scrollTop - b.clientHeight < nearEnd;
    if (atEnd.current) setUnseen(0);
    if (b.scrollTop < nearTop && drawn < count && fromEnd.current === null) {
      fromEnd.current = b.scrollHeight - b.scrollTop;
      setDrawn(drawn + step);
    }
  };
  return { box, content, drawn, unseen, onScroll, toEnd };
}
