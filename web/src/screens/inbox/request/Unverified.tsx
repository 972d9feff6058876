import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Checkbox, Group } from "@mantine/core";
import { IconShieldQuestion } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { sameAddress } from "../../../data/addresses";
import { type MessageEmail, type Participant, acceptMail } from "../../../data/mail";
import { useMayWrite } from "../../../data/me";
import type { Message, Request } from "../../../data/requests";
import { tell, tellProblem } from "../../../tell";
import classes from "./Mail.module.css";

/** Above a mail of which nothing shows who wrote it: what that means, and the way to take it over. */
export function Unverified({ message, email, request, participants }: { message: Message; email: MessageEmail; request: Request; participants: Participant[] }) {
  const client = useQueryClient();
  const mayChange = useMayWrite() && request.state !== "closed";
  const takesPart = participants.some((p) => sameAddress(p.email, email.from) && p.status === "active");
  const from = email.from || t`the sender`;
  const sender = <b>{from}</b>; // an element, since tags in a text would be taken for those of <Trans>
  const [join, setJoin] = useState(false);
  const accept = useMutation({
    mutationFn: () => acceptMail(client, request.id, message.id, join),
    onSuccess: () => tell(t`Mail accepted.`),
    onError: (e) => tellProblem(e, t`The mail was not accepted.`),
  });
  return (
    <div className={classes.unverified}>
      <p>
        <IconShieldQuestion size={16} aria-hidden />
        <span>
          <Trans>
            <strong>Unverified mail.</strong> Nothing proves that {sender} wrote this. Do not trust its links and files. It has changed nothing, and only your team sees it.
          </Trans>
        </span>
      </p>
      {mayChange && (
        <Group gap="sm">
          <Button variant="default" size="compact-sm" loading={accept.isPending} onClick={() => accept.mutate()}>
            {t`Accept`}
          </Button>
          {!takesPart && email.from !== "" && <Checkbox size="xs" label={t`Add ${from} as a participant`} checked={join} onChange={(e) => setJoin(e.currentTarget.checked)} />}
        </Group>
      )}
    </div>
  );
}
