// Faces in rows. There may be thousands of rows, so they are cheap: who has which picture is looked up once for the list.
import { useQueries } from "@tanstack/react-query";
import { userQuery } from "../../data/people";
import classes from "./List.module.css";

const noPictures: ReadonlyMap<string, string> = new Map();

/** The pictures of people, as far as they are known and have one. */
export function usePictures(ids: readonly (string | null | undefined)[]): ReadonlyMap<string, string> {
  const wanted = [...new Set(ids)].filter((id) => id != null);
  return useQueries({
    queries: wanted.map((id) => userQuery(id)),
    combine: (found) => {
      const all = found.flatMap((f) => (f.data?.avatar ? [[f.data.id, f.data.avatar] as const] : []));
      return all.length === 0 ? noPictures : new Map(all);
    },
  });
}

/** A picture, or the first letters of a name. What they mean stands beside them, or in the label. */
export function RowFace({ name, picture, label, square }: { name: string; picture?: string | undefined; label?: string; square?: boolean }) {
  return (
    <span className={classes.face} data-square={square || undefined} {...(label ? { role: "img", "aria-label": label, title: label } : { "aria-hidden": true })}>
      {picture ? <img src={picture} alt="" loading="lazy" /> : letters(name)}
    </span>
  );
}

const letters = (name: string) =>
  name
    .split(/\s+/)
    .flatMap((word) => /\p{L}|\p{N}/u.exec(word)?.[0] ?? [])
    .slice(0, 2)
    .join("")
    .toUpperCase() || "?";
