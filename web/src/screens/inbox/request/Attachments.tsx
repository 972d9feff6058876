import { plural, t } from "@lingui/core/macro";
import { IconFile } from "@tabler/icons-react";
import type { Attachment } from "../../../data/messages";
import { locale } from "../../../texts";
import classes from "./Request.module.css";

// Those that a browser draws without running anything that is in them.
const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export function size(bytes: number): string {
  if (bytes < 1000) return t`${plural(bytes, { one: "# byte", other: "# bytes" })}`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${tenths.format(bytes / 1_000_000)} MB`;
}

/** Files of a message: pictures small, the others by name; each is saved by a click. */
export function Attachments({ of }: { of: Attachment[] }) {
  if (of.length === 0) return null;
  return (
    <ul className={classes.files}>
      {of.map((a) => (
        <li key={a.id}>
          <a className={classes.file} href={`/v1/rest/attachments/${a.id}`} download={a.name}>
            {pictures.has(a.type) ? <img className={classes.thumbnail} src={`/v1/rest/attachments/${a.id}`} alt={a.name} loading="lazy" /> : <IconFile size={16} aria-hidden />}
            <span className={classes.fileName} dir="auto">
              {a.name}
            </span>
            <span className={classes.faint}>{size(a.size)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
