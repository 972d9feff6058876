import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, CloseButton } from "@mantine/core";
import { IconAlertTriangle, IconSparkles } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { dateAndTime, fullTime } from "../../../parts/time";
import classes from "./Help.module.css";

/** Who wrote something and when: a model, so it may be wrong. */
export function ByModel({ what, at, closeLabel, close, children }: { what: string; at: string; closeLabel: string; close: () => void; children?: ReactNode }) {
  const when = dateAndTime(at);
  return (
    <div className={classes.top}>
      <div className={classes.head}>
        <IconSparkles size={14} aria-hidden />
        <strong>{what}</strong>
        <span>
          <Trans>
            Written by a model,{" "}
            <time dateTime={at} title={fullTime(at)}>
              {when}
            </time>
            . It may be wrong.
          </Trans>
        </span>
        {children}
      </div>
      <CloseButton size="sm" aria-label={closeLabel} onClick={close} />
    </div>
  );
}

/** Why a model did not answer, and what to do. */
export function Trouble({ what, why, again, close }: { what: string; why: string; again: () => void; close: () => void }) {
  return (
    <div className={classes.head} role="alert">
      <IconAlertTriangle size={14} aria-hidden />
      <span className={classes.failed}>
        {what} {why}
      </span>
      <span className={classes.end}>
        <Button variant="default" size="compact-xs" onClick={again}>
          {t`Try again`}
        </Button>
        <Button variant="subtle" color="gray" size="compact-xs" onClick={close}>
          {t`Close`}
        </Button>
      </span>
    </div>
  );
}
