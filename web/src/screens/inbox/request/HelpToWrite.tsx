import { t } from "@lingui/core/macro";
import { Anchor, Button, Loader } from "@mantine/core";
import { IconLanguage, IconSparkles } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { sentence } from "../../../api/client";
import { type ModelDraft, askModel, draftQuery, keepUnedited, languageName, translateForCustomer, unedited, useHasModel } from "../../../data/help";
import type { Request } from "../../../data/requests";
import { didWithUndo } from "../../../data/undo";
import { Keys, useCommands } from "../../../frame/commands";
import { AppLink } from "../../../parts/AppLink";
import { Html } from "../../../parts/Html";
import { tell, tellProblem } from "../../../tell";
import { ByModel, Trouble } from "./ByModel";
import classes from "./Help.module.css";
import { newer, unread } from "./Summary";

/** Where quick replies are. */
const quickRepliesPage = "/settings/quick-replies";

type Sources = ModelDraft["sources"];

/** What a model helps with where a reply is written. Null where there is none, or where a note is written. */
export type HelpToWrite = {
  html: string;
  draft: () => void;
  translate: () => void;
  translating: boolean;
  cancel: () => void;
  put: (html: string, said: string, sources?: Sources) => void;
  isUnedited: boolean;
  sources: Sources;
};

/**
 * `text` is what is in the composer now, `set` puts something else there. Nothing that was typed is ever lost: what is put in
 * its place can be undone, and what was typed while the model was busy stays.
 */
export function useHelpToWrite(request: Request, note: boolean, html: string, text: RefObject<string>, set: (html: string) => void): HelpToWrite | null {
  const client = useQueryClient();
  const may = useHasModel() && !note;
  const [ofModel, setOfModel] = useState(() => unedited(request.id));
  const [sources, setSources] = useState<Sources>([]);
  const [translating, setTranslating] = useState<AbortController | null>(null);
  const under = useRef<AbortController | null>(null);
  const forget = useRef(() => {});
  const latest = useRef(set);
  latest.current = set;
  const remember = (of: string, from: Sources) => {
    setOfModel(of);
    setSources(from);
    keepUnedited(request.id, of);
  };
  const nothing = html === "";
  useEffect(() => {
    if (!nothing) return;
    // It was sent, or taken away.
    setOfModel("");
    setSources([]);
    keepUnedited(request.id, "");
    under.current?.abort();
  }, [nothing, request.id]);
  useEffect(
    () => () => {
      forget.current();
      under.current?.abort();
    },
    [],
  );

  const put = (next: string, said: string, from: Sources = sources) => {
    const before = text.current;
    latest.current(next);
    const after = text.current; // as the editor writes it
    remember(after, from);
    forget.current = didWithUndo(said, () => latest.current(text.current === after ? before : before + text.current));
  };
  const translate = async () => {
    const original = text.current;
    if (original === "" || under.current) return;
    const call = new AbortController();
    under.current = call;
    setTranslating(call);
    try {
      const translated = await translateForCustomer(request.id, original, call.signal);
      const into = languageName(translated.language);
      if (text.current === original) put(translated.html, into === null ? t`Translated by a model. Read it before you send it.` : t`Translated into ${into} by a model. Read it before you send it.`);
      else tell(t`You kept writing, so your text was left as it is. Translate it again.`);
    } catch (e) {
      if (!call.signal.aborted) tellProblem(e, t`Your text was left as it is.`);
    }
    under.current = null;
    setTranslating(null);
  };
  const draft = () => askModel(client, draftQuery(request.id));
  useCommands(
    may
      ? [
          { id: "draft reply", label: t`Draft a reply`, keys: "mod+j", group: t`Request`, run: draft },
          ...(nothing ? [] : [{ id: "translate reply", label: t`Translate your reply for the customer`, keys: "mod+shift+l", group: t`Request`, run: () => void translate() }]),
        ]
      : [],
  );
  if (!may) return null;
  const cancel = () => under.current?.abort();
  return { html, draft, translate: () => void translate(), translating: translating !== null, cancel, put, isUnedited: !nothing && html === ofModel, sources };
}

/** The buttons above the text. */
export function HelpButtons({ help }: { help: HelpToWrite }) {
  return (
    <span className={classes.composerHelp}>
      {help.translating ? (
        <Button variant="subtle" color="gray" size="compact-xs" leftSection={<Loader size={12} aria-hidden />} onClick={help.cancel}>
          {t`Cancel translation`}
        </Button>
      ) : (
        help.html !== "" && (
          <Button variant="subtle" color="gray" size="compact-xs" leftSection={<IconLanguage size={14} aria-hidden />} title={t`Translate into the customer’s language`} onClick={help.translate}>
            {t`Translate`}
          </Button>
        )
      )}
      <Button variant="subtle" color="gray" size="compact-xs" leftSection={<IconSparkles size={14} aria-hidden />} rightSection={<Keys keys="mod+j" />} onClick={help.draft}>
        {t`Draft a reply`}
      </Button>
    </span>
  );
}

/** A draft that a model wrote, until somebody takes it or not; and what is in the text that nobody has read yet. */
export function Drafted({ request, help }: { request: Request; help: HelpToWrite }) {
  const client = useQueryClient();
  const query = draftQuery(request.id);
  const { data, error, isFetching } = useQuery(query);
  const close = () => void client.resetQueries({ queryKey: query.queryKey, exact: true });
  const take = (html: string, said: string) => {
    help.put(html, said, data!.sources);
    close();
  };
  const empty = help.html === "";
  return (
    <>
      {isFetching ? (
        <div className={classes.draft} role="status">
          <div className={classes.head}>
            <Loader size={14} aria-hidden />
            {t`Writing a draft…`}
            <span className={classes.end}>
              <Button variant="default" size="compact-xs" onClick={() => void client.cancelQueries({ queryKey: query.queryKey, exact: true })}>
                {t`Cancel`}
              </Button>
            </span>
          </div>
        </div>
      ) : error ? (
        <div className={classes.draft}>
          <Trouble what={t`There is no draft.`} why={sentence(error)} again={help.draft} close={close} />
        </div>
      ) : (
        data && (
          <section className={classes.draft} aria-label={t`Drafted reply`}>
            <ByModel what={t`Draft`} at={data.created_at} closeLabel={t`Close the draft`} close={close}>
              {newer(request, data) !== null && <span>{newer(request, data)}</span>}
            </ByModel>
            <div className={classes.draftText} tabIndex={0} role="group" aria-label={t`Text of the draft`}>
              <Html html={data.html} />
            </div>
            <SourceList of={data.sources} />
            {unread(data).map((u) => (
              <div key={u} className={classes.head}>
                {u}
              </div>
            ))}
            <div className={classes.actions}>
              <Button size="compact-sm" onClick={() => take(help.html + data.html, empty ? t`The draft was inserted.` : t`The draft was inserted below your text.`)}>
                {empty ? t`Insert` : t`Insert below`}
              </Button>
              {!empty && (
                <Button size="compact-sm" variant="default" onClick={() => take(data.html, t`The draft replaced your text.`)}>
                  {t`Replace your text`}
                </Button>
              )}
              <Button size="compact-sm" variant="subtle" color="gray" onClick={help.draft}>
                {t`Draft another`}
              </Button>
            </div>
          </section>
        )
      )}
      {help.isUnedited && (
        <div className={classes.mark} role="status">
          <IconSparkles size={14} aria-hidden /> {t`Written by a model, and not edited. Read it before you send it.`}
        </div>
      )}
      {help.sources.length > 0 && (
        <div className={classes.kept}>
          <SourceList of={help.sources} />
        </div>
      )}
    </>
  );
}

function SourceList({ of }: { of: Sources }) {
  if (of.length === 0) return <div className={classes.head}>{t`No quick replies or solved requests were used.`}</div>;
  return (
    <ul className={classes.sources} aria-label={t`Sources of the draft`}>
      {of.map(({ type, id, key, title }) => (
        <li key={type + id}>
          <span className={classes.kind}>{key === null ? t`Quick reply:` : t`Solved: ${key}`}</span>{" "}
          <Anchor component={AppLink} size="sm" underline="always" dir="auto" href={key === null ? quickRepliesPage : `/requests/${key}`}>
            {title}
          </Anchor>
        </li>
      ))}
    </ul>
  );
}
