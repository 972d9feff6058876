import { plural, t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useMemo, useRef } from "react";
import { slaQuery } from "../../../data/clocks";
import { historyQuery } from "../../../data/history";
import { useMayWrite } from "../../../data/me";
import { useSending, waitingQuery } from "../../../data/messages";
import { usePreferences } from "../../../data/preferences";
import type { Request } from "../../../data/requests";
import { type Choosing, Messages } from "./Messages";
import classes from "./Request.module.css";
import { useTranslateLast } from "./Translate";
import { OnItsWay, Waiting } from "./Waiting";
import { showMessage } from "./answers";
import { byDay } from "./groups";
import { type Happening, happenings } from "./happenings";
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
  // What happened before the first message that is drawn comes with the messages of that time.
  const since = drawn < messages.length ? messages.at(-drawn)!.created_at : "";
  const happened = useHappenings(request.id, since);
  const days = useMemo(() => byDay(messages.slice(-drawn), happened), [messages, drawn, happened]);
  useLedTo(drawn);
  useTranslateLast(request);
  return (
    <div className={classes.conversation}>
      <div className={classes.scroll} ref={box} onScroll={onScroll} tabIndex={0} role="log" aria-label={t`Conversation`}>
        <div ref={content}>
          {days.map((d) => (
            <Messages key={d.key} day={d} request={request} choosing={choosing} newerThan={newest.current} participants={participants} />
          ))}
          {messages.length === 0 && <p className={classes.nothing}>{t`No messages yet.`}</p>}
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
          {t`${plural(unseen, { one: "# new message", other: "# new messages" })}`}
        </Button>
      )}
    </div>
  );
}

/** Leads to the message that the address names, once for each time that somebody goes there. */
function useLedTo(drawn: number) {
  const place = useRouterState({ select: (s) => s.location });
  const key = `${place.state.key ?? place.state.__TSR_key ?? ""}${place.hash}`;
  const shown = useRef("");
  useEffect(() => {
    const message = Number(/^message-(\d+)$/.exec(place.hash)?.[1]);
    if (message && shown.current !== key && showMessage(message)) shown.current = key;
  }, [key, place.hash, drawn]);
}

const none: Happening[] = [];
const mostPages = 4;

/**
 * What happened since a time, unless its reader does not want to see it. Earlier pages are read until they reach back as far.
 * Of what is changed hundreds of times, the newest changes are enough here: all are in the history.
 */
function useHappenings(id: number, since: string): Happening[] {
  const { timeline } = usePreferences();
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = useInfiniteQuery({ ...historyQuery(id), enabled: timeline });
  const clocks = useQuery({ ...slaQuery(id), enabled: timeline }).data ?? null;
  const oldest = data?.pages.at(-1)?.history.at(-1)?.at;
  const more = timeline && hasNextPage && data!.pages.length < mostPages && !isFetching && !isError && oldest !== undefined && oldest > since;
  useEffect(() => {
    if (more) void fetchNextPage();
  }, [more, fetchNextPage]);
  return useMemo(() => {
    if (!timeline || !data) return none;
    return happenings(
      data.pages.flatMap((p) => p.history),
      clocks,
    ).filter((h) => h.at >= since);
  }, [timeline, data, clocks, since]);
}
