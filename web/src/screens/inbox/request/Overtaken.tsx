import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Text } from "@mantine/core";
import { useUser } from "../../../data/people";
import type { Message } from "../../../data/requests";
import { Face } from "../../../parts/Face";
import { shortLength, useNow } from "../../../parts/time";
import classes from "./Composer.module.css";

type Props = {
  answer: Message;
  /** Somebody has tried to send: it is not sent before they say what to do. */
  stopped: boolean;
  read: () => void;
  sendAnyway: () => void;
};

/** That somebody else has answered since this was begun. */
export function Overtaken({ answer, stopped, read, sendAnyway }: Props) {
  const user = useUser(answer.author);
  const who = user?.name ?? t`A colleague`;
  // What people wrote goes into <Trans> as an element: in text, it would take tags for its own.
  const colleague = <strong dir="auto">{who}</strong>;
  const since = <Since at={answer.created_at} />;
  return (
    <div key={String(stopped)} className={classes.overtaken} role={stopped ? "alert" : "status"} {...(stopped && { "data-stopped": true })}>
      <Face id={answer.author} name={who} size={20} />
      <Text span size="sm">
        <Trans>
          {colleague} replied {since}.
        </Trans>
        {stopped && ` ${t`Read it, then send.`}`}
      </Text>
      <Button variant="default" size="compact-sm" onClick={read}>
        {t`Read it`}
      </Button>
      {stopped && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={sendAnyway}>
          {t`Send anyway`}
        </Button>
      )}
    </div>
  );
}

/** "20 s ago": in seconds, because it has just happened. */
function Since({ at }: { at: string }) {
  useNow(); // so that it grows
  const length = Math.max(0, Date.now() - Date.parse(at));
  const time = length < 60_000 ? `${Math.floor(length / 1000)} s` : shortLength(length);
  return <time dateTime={at}>{t`${time} ago`}</time>;
}
