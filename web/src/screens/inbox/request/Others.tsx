import { plural, t } from "@lingui/core/macro";
import { VisuallyHidden } from "@mantine/core";
import type { Present } from "../../../data/presence";
import { Face } from "../../../parts/Face";
import { Tip } from "../../../parts/Tip";
import { locale } from "../../../texts";
import classes from "./Request.module.css";

const mostFaces = 3;

/** Who else is at the request. A screen reader is told only who writes: people who come and go would interrupt all the time. */
export function Others({ others }: { others: Present[] }) {
  const more = others.slice(mostFaces);
  const writers = others.filter((o) => o.doing === "writing").map((o) => o.name);
  const names = list.format(writers);
  return (
    <div className={classes.others}>
      {others.slice(0, mostFaces).map((o) => (
        <Tip key={o.member_id} label={doing(o)}>
          <span role="img" aria-label={doing(o)} className={classes.other} {...(o.doing === "writing" && { "data-writing": true })}>
            <Face id={o.user_id} name={o.name} size={24} />
          </span>
        </Tip>
      ))}
      {more.length > 0 && (
        <Tip label={more.map(doing).join(", ")}>
          <span role="img" aria-label={more.map(doing).join(", ")} className={classes.more}>
            +{more.length}
          </span>
        </Tip>
      )}
      <VisuallyHidden role="status">{writers.length > 0 && t`${plural({ count: writers.length }, { one: `${names} is writing…`, other: `${names} are writing…` })}`}</VisuallyHidden>
    </div>
  );
}

const list = new Intl.ListFormat(locale);

const doing = ({ doing, name }: Present) => (doing === "writing" ? t`${name} is writing…` : t`${name} is viewing this`);
