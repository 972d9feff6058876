import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, SegmentedControl, Text } from "@mantine/core";
import { IconEye, IconLock, IconMail, IconMailOff } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { namesOf } from "../../../data/browser";
import { draft, keepDraft } from "../../../data/drafts";
import { type Mode, send } from "../../../data/messages";
import { useMe } from "../../../data/me";
import { preferences } from "../../../data/preferences";
import { wrote } from "../../../data/presence";
import type { Request, State } from "../../../data/requests";
import { doing } from "../../../data/undo";
import { useCommands } from "../../../frame/commands";
import { Editor, type EditorHandle } from "../../../parts/editor";
import { tell } from "../../../tell";
import classes from "./Composer.module.css";
import { Files, useFiles } from "./Files";
import { Drafted, HelpButtons, useHelpToWrite } from "./HelpToWrite";
import { MailPreview } from "./MailPreview";
import { Overtaken } from "./Overtaken";
import { Recipients } from "./Recipients";
import { SendButton } from "./SendButton";
import { tellWaiting, useTakeBack } from "./Waiting";
import { answerAfter, newestOf, showMessage } from "./answers";
import { type Written, askForComposer, askedMode, showComposer, takeTyped, together } from "./composers";
import { type Letter, few } from "./letters";
import { useLetter } from "./useLetter";

// How long after the last key a draft is kept.
const draftTime = 300;

/** Where answers and notes are written. What it looks like says who will read it. */
export function Composer({ request }: { request: Request }) {
  const client = useQueryClient();
  const takeBack = useTakeBack();
  const begun = useRef(draft(request.id)).current;
  const [mode, setMode] = useState<Mode>(() => askedMode(request.id) ?? begun?.mode ?? "reply");
  const [html, setHtml] = useState(begun?.html ?? "");
  // The current text and mode, also before they are rendered: keys may be faster.
  const text = useRef(html);
  const modeNow = useRef(mode);
  const [flashing, setFlashing] = useState(false);
  const [dragged, setDragged] = useState(false);
  const [previewing, setPreviewing] = useState(false);
  const letter = useLetter(request);
  const editor = useRef<EditorHandle>(null);
  const files = useFiles({ files: begun?.files ?? [], kept: begun?.kept ?? [] });
  const note = mode === "note";
  const nothing = html === "" && files.count === 0;
  const empty = nothing || files.coming;
  const { seen, answer, stopped, stop, readAll } = useAnswer(request, nothing, begun?.seen ?? 0);

  useDraft(request.id, html, mode, files, seen);
  useEffect(() => () => wrote(request.id, false), [request.id]);

  const onHtml = (now: string) => {
    text.current = now;
    setHtml(now);
  };
  const write = (mode: Mode) => {
    turn(mode);
    focus();
  };
  const focus = () => {
    if (editor.current) editor.current.focus();
    else askForComposer(request.id, modeNow.current); // it is still being fetched
  };
  const turn = (mode: Mode) => {
    if (mode === modeNow.current) return;
    modeNow.current = mode;
    setMode(mode);
    if (text.current !== "") setFlashing(true);
  };
  const take = (w: Written) => {
    const both = together(w, { html: text.current, mode: modeNow.current });
    turn(both.mode);
    keepDraft(request.id, { ...both, files: [...namesOf(w.files), ...files.named], kept: [...w.kept, ...files.kept], seen }); // at once: it is nowhere else any more
    files.put(w);
    onHtml(both.html);
    editor.current?.replace(both.html);
    focus();
    if (both.mode !== w.mode) tell(t`The message was added to your internal note. Nothing was made public.`);
  };
  // What was typed before the editor was there.
  const catchUp = () => {
    const asked = askedMode(request.id);
    if (asked) turn(asked);
    const typed = editor.current && takeTyped(request.id);
    if (!typed) return;
    for (const [i, part] of typed.parts.entries()) {
      if (i > 0) void submit();
      if (part !== "") editor.current!.type(part);
    }
    if (typed.focus) editor.current!.focus();
    else editor.current!.blur();
  };
  const latest = useRef({ take, write, catchUp });
  latest.current = { take, write, catchUp };
  // In a layout effect: a key pressed between drawing and an effect would wait forever for a composer that is already there.
  useLayoutEffect(() => {
    const gone = showComposer(request.id, { take: (w) => latest.current.take(w), write: (mode) => latest.current.write(mode) });
    latest.current.catchUp();
    return gone;
  }, [request.id]);

  const submit = async (state: State | null = null, anyway = false) => {
    if ((text.current === "" && files.count === 0) || files.coming) return;
    if (answer && !anyway) return stop(state);
    const seconds = preferences().undoSeconds;
    const written = { requestId: request.id, html: text.current, mode: modeNow.current, files: files.files, kept: files.kept, state, delaySeconds: seconds, seen: anyway ? newestOf(request) : seen };
    const sent = send(client, written); // from here on it is kept as what is on its way
    onHtml("");
    keepDraft(request.id, { html: "", mode: modeNow.current, files: [], kept: [] });
    editor.current?.replace("");
    files.clear();
    const onItsWay = seconds > 0 ? doing() : null; // who takes it back before the server has it means this one
    const waiting = await sent;
    if (!onItsWay) return;
    const undo = waiting && (() => void takeBack(request.id, waiting.id));
    if (undo) tellWaiting(waiting, seconds, undo, onItsWay.place);
    if (onItsWay.ended()) undo?.();
  };

  const help = useHelpToWrite(request, note, html, text, (other) => {
    onHtml(other);
    editor.current?.replace(other);
  });

  const mail = note ? null : letter;
  useCommands([
    { id: "send", label: t`Send`, keys: "mod+enter", group: t`Request`, keyOnly: true, run: () => void submit() },
    ...(mail ? [{ id: "preview mail", label: t`Preview the mail of this reply`, group: t`Request`, run: () => setPreviewing(true) }] : []),
  ]);

  return (
    <section
      className={classes.composer}
      aria-label={note ? t`Write an internal note` : t`Write a reply`}
      {...(note && { "data-note": true })}
      {...(flashing && { "data-flash": true })}
      {...(dragged && { "data-dragged": true })}
      onAnimationEnd={() => setFlashing(false)}
      onDragOver={(e) => {
        if (!e.dataTransfer.types.includes("Files")) return;
        e.preventDefault();
        setDragged(true);
      }}
      onDragLeave={() => setDragged(false)}
      onDrop={(e) => {
        setDragged(false);
        if (e.defaultPrevented || e.dataTransfer.files.length === 0) return;
        e.preventDefault();
        files.add([...e.dataTransfer.files]);
      }}
    >
      <div className={classes.composerHead}>
        <SegmentedControl
          size="xs"
          aria-label={t`Message type`}
          value={mode}
          onChange={(v) => turn(v as Mode)}
          data={[
            { value: "reply", label: t({ message: "Reply", context: "noun" }) },
            { value: "note", label: t`Internal note` },
          ]}
        />
        <Text size="xs" className={classes.whom} aria-live="polite" component="div">
          {note ? (
            <>
              <IconLock size={12} aria-hidden /> {letter ? t`Only your team sees this. Notes are never sent by mail` : t`Only your team sees this`}
            </>
          ) : letter ? (
            <ByMail request={request} letter={letter} />
          ) : (
            <Whom request={request} />
          )}
        </Text>
        {help && <HelpButtons help={help} />}
        {mail && (
          <Button className={help ? "" : classes.preview!} variant="subtle" color="gray" size="compact-xs" leftSection={<IconEye size={14} aria-hidden />} onClick={() => setPreviewing(true)}>
            {t`Preview mail`}
          </Button>
        )}
      </div>
      {answer && (
        <Overtaken
          answer={answer}
          stopped={stopped !== null}
          read={() => {
            readAll();
            showMessage(answer.id);
          }}
          sendAnyway={() => void submit(stopped?.state, true)}
        />
      )}
      {help && <Drafted request={request} help={help} />}
      {mail && <Recipients request={request} letter={mail} />}
      {mail && <MailPreview letter={mail} html={html} files={[...files.kept, ...files.files]} opened={previewing} close={() => setPreviewing(false)} />}
      <Suspense fallback={<div className={classes.editorComing} aria-busy />}>
        <Editor
          ref={(handle) => {
            editor.current = handle;
            if (handle) catchUp();
          }}
          html={html}
          label={note ? t`Internal note` : t({ message: "Reply", context: "noun" })}
          placeholder={note ? t`Only your team sees this` : t`Write a reply. Type ; for quick replies, @ to mention someone.`}
          onChange={(now) => {
            onHtml(now);
            wrote(request.id, now !== "");
          }}
          onSend={() => void submit()}
          onFiles={files.add}
          end={<SendButton note={note} disabled={empty} send={submit} />}
        />
      </Suspense>
      <Files of={files} />
    </section>
  );
}

/** What somebody has seen who writes here, and the answer that came since. They were shown everything there was when they began. */
function useAnswer(request: Request, nothing: boolean, begun: number) {
  const newest = newestOf(request);
  const [seen, setSeen] = useState(begun || newest);
  const [stopped, setStopped] = useState<{ state: State | null } | null>(null);
  const readAll = useCallback(() => {
    setSeen(newest);
    setStopped(null);
  }, [newest]);
  useEffect(() => {
    if (nothing) readAll();
  }, [nothing, readAll]);
  const me = useMe();
  return { seen: nothing ? newest : seen, answer: nothing ? null : answerAfter(request, seen, me), stopped, stop: (state: State | null) => setStopped({ state }), readAll };
}

/** To whom an answer goes. */
function Whom({ request }: { request: Request }) {
  const who = request.author.name ?? request.author.email ?? request.author_email;
  if (!request.request_thread || !request.channel) return who ? t`This request has no channel, so ${who} is not notified` : t`This request has no channel, so the requester is not notified`;
  // Elements, since tags in a text would be taken for those of <Trans>.
  const channel = <strong>#{request.channel.name}</strong>;
  const author = <strong>{who}</strong>;
  return who && request.author.id ? (
    <Trans>
      to {channel} and {author}
    </Trans>
  ) : (
    <Trans>to {channel}</Trans>
  );
}

/** That an answer goes by mail, and to whom; or why it does not. */
function ByMail({ request, letter }: { request: Request; letter: Letter }) {
  const inChannel = request.request_thread && request.channel !== null;
  const channel = <strong>#{request.channel?.name}</strong>;
  const { problem } = letter;
  if (problem)
    return (
      <span>
        <IconMailOff size={12} aria-hidden /> {problem} {inChannel ? <Trans>It is shown here and in {channel}.</Trans> : t`It is only shown here.`}
      </span>
    );
  return (
    <span>
      <IconMail size={12} aria-hidden /> <Recipient letter={letter} channel={inChannel ? channel : null} />
    </span>
  );
}

function Recipient({ letter, channel }: { letter: Letter; channel: ReactNode }) {
  const names = few(
    [...letter.to, ...letter.cc].map((p) => p.email),
    2,
  );
  const recipients = <strong>{names}</strong>;
  if (!channel) return letter.isUnverified ? <Trans>Goes by mail to {recipients}, who is not verified</Trans> : <Trans>Goes by mail to {recipients}</Trans>;
  return letter.isUnverified ? (
    <Trans>
      Goes by mail to {recipients}, who is not verified, and to {channel}
    </Trans>
  ) : (
    <Trans>
      Goes by mail to {recipients} and to {channel}
    </Trans>
  );
}

/** Keeps what is being written, a moment after each key and when the page is left. */
function useDraft(requestId: number, html: string, mode: Mode, { named, kept }: Pick<ReturnType<typeof useFiles>, "named" | "kept">, seen: number) {
  const now = useRef({ html, mode, files: named, kept, seen });
  now.current = { html, mode, files: named, kept, seen };
  useEffect(() => {
    const timer = window.setTimeout(() => keepDraft(requestId, now.current), draftTime);
    return () => window.clearTimeout(timer);
  }, [requestId, html, mode, named, kept, seen]);
  useEffect(() => {
    const keep = () => keepDraft(requestId, now.current);
    window.addEventListener("pagehide", keep);
    return () => {
      window.removeEventListener("pagehide", keep);
      keep();
    };
  }, [requestId]);
}
