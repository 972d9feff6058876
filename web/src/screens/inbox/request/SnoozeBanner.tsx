import { t } from "@lingui/core/macro";
import { Button, Text } from "@mantine/core";
import { IconArrowBackUp, IconZzz } from "@tabler/icons-react";
import { useMayWrite } from "../../../data/me";
import { type Request, useChangeRequest } from "../../../data/requests";
import { backReason } from "../../../parts/snooze";
import { dateAndTime } from "../../../parts/time";
import classes from "./Request.module.css";

/** That a request is snoozed, or why it is back; and what ends that. */
export function SnoozeBanner({ request }: { request: Request }) {
  const change = useChangeRequest();
  const mayWrite = useMayWrite();
  const { snooze } = request;
  if (!snooze) return null;
  const isBack = snooze.back !== null;
  const Icon = isBack ? IconArrowBackUp : IconZzz;
  return (
    <div className={classes.snooze} role="status" data-back={isBack || undefined}>
      <Icon size={16} aria-hidden />
      <Text size="sm" span>
        {isBack ? (
          <>
            <bdi>{backReason(request)}</bdi>. {t`It stays on top until somebody answers or changes it.`}
          </>
        ) : (
          <>
            {snoozed(snooze)} {t`SLA clocks keep running.`}
          </>
        )}
      </Text>
      {mayWrite && (
        <Button variant="default" size="compact-xs" loading={change.isPending} onClick={() => change.mutate({ id: request.id, change: { snooze: null } })}>
          {isBack ? t`Dismiss` : t`Bring back`}
        </Button>
      )}
    </div>
  );
}

/** Until when it is snoozed, and who did that. */
function snoozed({ until, by }: NonNullable<Request["snooze"]>): string {
  const name = by?.name;
  if (until === null) return name ? t`Snoozed by ${name} until the customer answers.` : t`Snoozed until the customer answers.`;
  const time = dateAndTime(until);
  return name ? t`Snoozed by ${name} until ${time}, or until the customer answers.` : t`Snoozed until ${time}, or until the customer answers.`;
}
