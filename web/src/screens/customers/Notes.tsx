import { t } from "@lingui/core/macro";
import { Button, Textarea } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type CustomerNote, begunNote, customerNotesQuery, keepNote, useAddNote, useDeleteNote } from "../../data/customerNotes";
import { useIsAdmin, useMayWrite, useMe } from "../../data/me";
import { Question } from "../../parts/Question";
import { Failure, Loading, Refused } from "../../parts/states";
import { Ago } from "../../parts/time";
import classes from "./Customers.module.css";

/** What the team wrote down about a customer. */
export function Notes({ id }: { id: number }) {
  const notes = useInfiniteQuery(customerNotesQuery(id));
  const mayWrite = useMayWrite();
  const all = notes.data?.pages.flatMap((p) => p.customer_notes) ?? [];
  return (
    <section className={classes.block} aria-label={t`Notes`}>
      <h2 className={classes.blockTitle}>
        {t`Notes`} <span className={classes.period}>{t`Only your team sees them`}</span>
      </h2>
      {mayWrite && <NewNote id={id} />}
      {notes.isPending ? (
        <Loading rows={2} />
      ) : notes.isError ? (
        <Failure error={notes.error} retry={() => void notes.refetch()} />
      ) : all.length === 0 ? (
        <p className={classes.faint}>{t`No notes yet.`}</p>
      ) : (
        <ul className={classes.list}>
          {all.map((n) => (
            <Note key={n.id} id={id} note={n} />
          ))}
        </ul>
      )}
      {notes.hasNextPage && (
        <Button variant="default" size="xs" loading={notes.isFetchingNextPage} onClick={() => void notes.fetchNextPage()}>
          {t`Show older notes`}
        </Button>
      )}
    </section>
  );
}

function NewNote({ id }: { id: number }) {
  const me = useMe();
  return me ? <NoteForm key={id} id={id} /> : null; // before that nobody knows whose draft to show
}

function NoteForm({ id }: { id: number }) {
  const [text, setText] = useState(() => begunNote(id));
  const add = useAddNote(id);
  const type = (now: string) => {
    setText(now);
    keepNote(id, now);
  };
  const save = () => {
    if (text.trim() && !add.isPending) add.mutate(text.trim(), { onSuccess: () => type("") });
  };
  return (
    <form
      className={classes.noteForm}
      onSubmit={(e) => {
        e.preventDefault();
        save();
      }}
    >
      <Textarea
        dir="auto"
        aria-label={t`New note`}
        placeholder={t`What should your colleagues know?`}
        autosize
        minRows={1}
        maxRows={10}
        maxLength={10000}
        value={text}
        onChange={(e) => type(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== "Enter" || !(e.metaKey || e.ctrlKey)) return;
          e.preventDefault();
          save();
        }}
      />
      <Refused error={add.error} />
      {text.trim() !== "" && (
        <Button type="submit" size="xs" loading={add.isPending}>
          {t`Save note`}
        </Button>
      )}
    </form>
  );
}

function Note({ id, note }: { id: number; note: CustomerNote }) {
  const remove = useDeleteNote(id);
  const [asking, setAsking] = useState(false);
  const me = useMe();
  const isAdmin = useIsAdmin();
  const mayWrite = useMayWrite();
  return (
    <li className={classes.note}>
      <div className={classes.noteHead}>
        <bdi>{note.author.name}</bdi>
        <span className={classes.faint}>
          <Ago at={note.created_at} />
        </span>
        {mayWrite && (isAdmin || note.author.id === me?.member.id) && (
          <Button ml="auto" size="compact-xs" variant="subtle" color="gray" onClick={() => setAsking(true)}>
            {t`Delete`}
          </Button>
        )}
      </div>
      <div dir="auto" className={classes.noteText}>
        {note.text}
      </div>
      <Question opened={asking} close={() => setAsking(false)} title={t`Delete this note?`} yes={t`Delete note`} run={() => remove.mutateAsync(note.id)}>
        {t`This cannot be undone.`}
      </Question>
    </li>
  );
}
