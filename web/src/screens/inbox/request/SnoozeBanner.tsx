import { Button, Text } from "@mantine/core";
import { IconArrowBackUp, IconZzz } from "@tabler/icons-react";
import { useMayWrite } from "../../../data/me";
import { type Request, useChangeRequest } from "../../../data/requests";
import { backReason, snoozedUntil } from "../../../parts/snooze";
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
        <bdi>{isBack ? backReason(request) : snoozedUntil(snooze)}</bdi>
        {isBack
          ? ". It stays on top until somebody answers or changes it."
          : `${snooze.by ? ` by ${snooze.by.name}` : ""}${snooze.until === null ? "" : ", or until the customer answers"}. SLA clocks go on.`}
      </Text>
      {mayWrite && (
        <Button variant="default" size="compact-xs" loading={change.isPending} onClick={() => change.mutate({ id: request.id, change: { snooze: null } })}>
          {isBack ? "Nothing to do" : "Bring back"}
        </Button>
      )}
    </div>
  );
}
