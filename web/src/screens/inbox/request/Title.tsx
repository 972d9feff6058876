import { t } from "@lingui/core/macro";
import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Problem, sentence } from "../../../api/client";
import { useMayWrite } from "../../../data/me";
import { type Request, changeRequest } from "../../../data/requests";
import { useCommands } from "../../../frame/commands";
import { tellProblem } from "../../../tell";
import classes from "./Request.module.css";

/** The API's limit. */
const longest = 300;

/** The key and the title. A click or F2 edits the title in its place. */
export function Title({ request }: { request: Request }) {
  const mayChange = useMayWrite() && request.state !== "closed";
  const editing = useEditing(request);
  const { typed, error, button } = editing;
  useCommands(mayChange ? [{ id: "edit title", label: t`Edit title`, keys: "f2", group: t`Request`, run: editing.begin }] : []);
  return (
    <h1 className={classes.title}>
      <span className={classes.key}>{request.key}</span>{" "}
      {typed !== null && mayChange ? (
        <TextInput
          className={classes.titleInput!}
          aria-label={t`Title`}
          autoFocus
          size="xs"
          maxLength={longest}
          value={typed}
          error={error}
          onChange={(e) => editing.type(e.currentTarget.value)}
          onBlur={editing.leave}
          onKeyDown={(e) => {
            if (e.nativeEvent.isComposing) return;
            if (e.key !== "Enter" && e.key !== "Escape") return;
            e.preventDefault(); // the title has the focus then, and would be pressed
            if (e.key === "Enter") editing.save();
            else editing.giveUp();
          }}
        />
      ) : mayChange ? (
        <button ref={button} type="button" className={classes.titleText} dir="auto" title={t`Edit title (F2)`} onClick={editing.begin}>
          {request.title}
        </button>
      ) : (
        <span className={classes.titleText} dir="auto">
          {request.title}
        </span>
      )}
    </h1>
  );
}

/** A title that is edited: drawn at once when it is saved, and there to be corrected when it is refused. */
function useEditing({ id, title }: Request) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  // By a key: then the keys stay where the title is.
  const [byKey, setByKey] = useState(false);
  useEffect(() => {
    if (typed === null && byKey) button.current?.focus();
  }, [typed, byKey]);

  const end = (key: boolean) => {
    setByKey(key);
    setTyped(null);
    setError(null);
  };
  const send = async (wanted: string) => {
    try {
      await changeRequest(client, id, { title: wanted });
    } catch (e) {
      // Somebody who has gone on to another request is told there.
      if (!shown.current) return tellProblem(e, t`The title “${wanted}” was not saved.`);
      setTyped((now) => now ?? wanted);
      setError((e instanceof Problem && e.fields.title) || sentence(e));
    }
  };
  const save = (key = true) => {
    const wanted = typed?.trim() ?? "";
    if (wanted === "") return setError(t`A request needs a title.`);
    end(key);
    if (wanted !== title) void send(wanted);
  };
  return {
    typed,
    error,
    button,
    begin: () => {
      setByKey(false);
      setTyped(title);
    },
    type: (value: string) => {
      setTyped(value);
      setError(null);
    },
    save,
    giveUp: () => end(true),
    // What was refused stays until it is corrected or given up.
    leave: () => {
      if (typed?.trim() === "") end(false);
      else if (error === null) save(false);
    },
  };
}
