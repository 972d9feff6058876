import { Button } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { useMayWrite } from "../../../data/me";
import { useSending, waitingQuery } from "../../../data/messages";
import type { Request } from "../../../data/requests";
import { type Choosing, Messages } from "./Messages";
import classes from "./Request.module.css";
import { OnItsWay, Waiting } from "./Waiting";
import { byDay } from "./groups";
import { useReading } from "./reading";
import { useParticipants } from "./useLetter";

/** What was said, the newest at the end, and what is about to be. */
export function Conversation({ request, choosing }: { request: Request; choosing: Choosing | null }) {
  const messages = useMemo(() => request.messages ?? [], [request.messages]);
  // Who only looks has written nothing.
  const waiting = useQuery({ ...waitingQuery(request.id), enabled: useMayWrite() }).data ?? [];
  const sending = useSending().filter((s) => s.requestId === request.id);
  const participants = useParticipants(request);
  const lastId = messages.at(-1)?.id ?? 0;
  const newest = useRef(lastId);
  const { box, content, drawn, unseen, onScroll, toEnd } = useReading(request.id, messages.length, lastId, waiting.length + sending.length);
  const days = useMemo(() => byDay(messages.slice(-drawn)), [messages, drawn]);
  return (
    <div className={classes.conversation}>
      <div className={classes.scroll} ref={box} onScroll={onScroll} tabIndex={0} role="log" aria-label="Conversation">
        <div ref={content}>
          {days.map((d) => (
            <Messages key={d.key} day={d} request={request} choosing={choosing} newerThan={newest.current} participants={participants} />
          ))}
          {messages.length === 0 && <p className={classes.nothing}>No messages yet.</p>}
          {waiting.map((w) => (
            <Waiting key={`w${w.id}`} message={w} request={request} />
          ))}
          {sending.map((s) => (
            <OnItsWay key={`s${s.once}`} message={s} request={request} />
          ))}
        </div>
      </div>
      {unseen > 0 && (
        <Button className={classes.pill!} radius="xl" size="compact-sm" leftSection={<IconArrowDown size={14} aria-hidden />} onClick={toEnd}>
          {unseen === 1 ? "1 new message" : `${unseen} new messages`}
        </Button>
      )}
    </div>
  );
}
