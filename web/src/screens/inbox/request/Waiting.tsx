import { plural, t } from "@lingui/core/macro";
import { Button, Group, Progress, Text } from "@mantine/core";
import { IconAlertTriangle, IconClock, IconLock } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { type Sending, type WaitingMessage, discard, sendAgain, sendAnyway, takeBack, takeOut } from "../../../data/messages";
import { type Request, nameOf } from "../../../data/requests";
import { type Done, didWithUndo } from "../../../data/undo";
import { Html } from "../../../parts/Html";
import { tellProblem } from "../../../tell";
import { locale } from "../../../texts";
import classes from "./Request.module.css";
import { size } from "./Attachments";
import { newestOf } from "./answers";
import { bringBack } from "./composers";

// The sentences that offer to take a message back, by the messages: they go when that is done elsewhere.
const told = new Map<number, () => void>();

/** Says that a message waits, and offers to take it back, in the place that was kept for that. */
export function tellWaiting(message: WaitingMessage, seconds: number, undo: () => void, place: Done) {
  told.set(message.id, didWithUndo(message.is_private ? t`Adding your internal note…` : t`Sending your reply…`, undo, seconds, place));
}

/** Takes a message back and puts it into the editor of its request again, wherever that is. */
export function useTakeBack() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (requestId: number, id: number) => {
    told.get(id)?.();
    told.delete(id);
    try {
      const m = await takeBack(client, requestId, id);
      const shown = bringBack(requestId, { html: m.html_body, mode: m.is_private ? "note" : "reply", files: [], kept: m.attachments });
      if (!shown) void navigate({ to: "/requests/$id", params: { id: nameOf(client, requestId) }, search: true });
    } catch (error) {
      tellProblem(error);
      void client.invalidateQueries({ queryKey: ["waiting", requestId] });
    }
  };
}

/** A message that the server sends in a moment, or could not send. */
export function Waiting({ message, request }: { message: WaitingMessage; request: Request }) {
  const client = useQueryClient();
  const back = useTakeBack();
  const left = useSecondsLeft(message.send_at);
  const due = left === 0 && message.error === null;
  // The stream says when it is sent; who has lost the stream looks.
  useEffect(() => {
    if (!due) return;
    const look = window.setInterval(() => {
      void client.invalidateQueries({ queryKey: ["waiting", request.id] });
      void client.invalidateQueries({ queryKey: ["request", request.id] });
    }, 1500);
    return () => window.clearInterval(look);
  }, [client, due, request.id]);
  const throwAway = () => takeBack(client, request.id, message.id).catch((error: unknown) => tellProblem(error));
  return (
    <Slip isPrivate={message.is_private} html={message.html_body} files={message.attachments}>
      {message.error !== null ? (
        <>
          <Failed why={message.error} />
          <Button variant="default" size="compact-sm" onClick={() => void back(request.id, message.id)}>
            {t`Edit`}
          </Button>
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => void throwAway()}>
            {t`Discard`}
          </Button>
        </>
      ) : (
        <>
          <IconClock size={14} aria-hidden />
          <Text span size="sm">
            {left > 0 ? t`Sending in ${left} s` : t`Sending…`}
          </Text>
          {left > 0 && (
            <Button variant="default" size="compact-sm" onClick={() => void back(request.id, message.id)}>
              {t`Undo`}
            </Button>
          )}
        </>
      )}
    </Slip>
  );
}

const percents = new Intl.NumberFormat(locale, { style: "percent" });

/** A message on its way to the server, or one that did not arrive there. */
export function OnItsWay({ message, request }: { message: Sending; request: Request }) {
  const client = useQueryClient();
  const percent = percents.format(message.progress);
  const edit = () => {
    bringBack(request.id, message);
    takeOut(message.once);
  };
  return (
    <Slip isPrivate={message.mode === "note"} html={message.html} files={[...message.kept, ...message.files]}>
      {message.error !== null ? (
        <>
          <Failed why={message.lost.length === 0 ? message.error : couldNotRestore(message.lost)} />
          {message.lost.length === 0 && message.overtaken && newestOf(request) > message.seen && (
            <Button variant="default" size="compact-sm" onClick={() => sendAnyway(client, message.once, newestOf(request))}>
              {t`Send anyway`}
            </Button>
          )}
          {message.lost.length === 0 && !message.overtaken && (
            <Button variant="default" size="compact-sm" onClick={() => void sendAgain(client, message.once)}>
              {t`Try again`}
            </Button>
          )}
          <Button variant="default" size="compact-sm" onClick={edit}>
            {t`Edit`}
          </Button>
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => discard(message.once)}>
            {t`Discard`}
          </Button>
        </>
      ) : (
        <>
          <Text span size="sm">
            {message.files.length > 0 && message.progress < 1 ? t`Uploading: ${percent}` : t`Sending…`}
          </Text>
          {message.files.length > 0 && <Progress value={message.progress * 100} w={140} size="sm" aria-label={t({ message: "Upload", context: "progress" })} />}
        </>
      )}
    </Slip>
  );
}

function couldNotRestore(files: string[]): string {
  const names = files.join(", ");
  return t`${plural({ count: files.length }, { one: `${names} could not be restored. Edit the message and attach it again.`, other: `${names} could not be restored. Edit the message and attach them again.` })}`;
}

function Failed({ why }: { why: string }) {
  return (
    <Group gap={6} wrap="nowrap" role="alert">
      <IconAlertTriangle size={14} color="var(--bad)" aria-hidden />
      <Text span size="sm" c="var(--bad)">
        {t`Not sent.`} {why}
      </Text>
    </Group>
  );
}

function Slip({ isPrivate, html, files, children }: { isPrivate: boolean; html: string; files: { name: string; size: number }[]; children: ReactNode }) {
  return (
    <article className={classes.group} data-waiting {...(isPrivate ? { "data-note": true } : { "data-ours": true })} aria-label={isPrivate ? t`Unsent internal note` : t`Unsent reply`}>
      <div className={classes.message}>
        {isPrivate && (
          <span className={classes.private}>
            <IconLock size={12} aria-hidden /> <span>{t`Internal note`}</span>
          </span>
        )}
        {html !== "" && <Html html={html} />}
        {files.length > 0 && (
          <Text size="xs" c="dimmed">
            {files.map((f) => `${f.name} (${size(f.size)})`).join(", ")}
          </Text>
        )}
        <div className={classes.slipFoot}>{children}</div>
      </div>
    </article>
  );
}

/** How many whole seconds are left until then; 0 when it is over. */
const secondsLeft = (until: string) => Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / 1000));

function useSecondsLeft(until: string): number {
  const [left, setLeft] = useState(() => secondsLeft(until));
  useEffect(() => {
    setLeft(secondsLeft(until));
    const timer = window.setInterval(() => {
      setLeft(secondsLeft(until));
      if (secondsLeft(until) === 0) window.clearInterval(timer);
    }, 250);
    return () => window.clearInterval(timer);
  }, [until]);
  return left;
}
