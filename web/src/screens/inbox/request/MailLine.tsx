import { t } from "@lingui/core/macro";
import { Button, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconChevronRight, IconClock, IconMail, IconQuestionMark, type TablerIcon } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { type MessageEmail, type Participant, sendMailAgain } from "../../../data/mail";
import { useMayWrite } from "../../../data/me";
import type { Message, Request } from "../../../data/requests";
import { Question } from "../../../parts/Question";
import { tell, tellProblem } from "../../../tell";
import { few, namedBy, statusName, troubleOf } from "./letters";
import classes from "./Mail.module.css";
import { WholeMail } from "./WholeMail";

const signs: Record<MessageEmail["status"], TablerIcon> = {
  waiting: IconClock,
  sent: IconCheck,
  perhaps_sent: IconQuestionMark,
  failed: IconAlertTriangle,
  received: IconMail,
  unverified: IconMail,
};

/** What a message has to do with mail: to whom it went, what became of it, and what to do where it went wrong. */
export function MailLine({ message, email, request, participants }: { message: Message; email: MessageEmail; request: Request; participants: Participant[] }) {
  const [details, setDetails] = useState(false);
  const [whole, setWhole] = useState(false);
  const id = useId();
  const named = namedBy(participants);
  const trouble = email.direction === "out" ? troubleOf(email) : null;
  const Sign = signs[email.status];
  return (
    <div className={classes.mail} data-status={email.status}>
      <div className={classes.line}>
        <UnstyledButton className={classes.fold!} aria-expanded={details} aria-controls={id} onClick={() => setDetails(!details)}>
          <Sign size={13} aria-hidden />
          <span className={classes.words}>{inWords(email, [...email.to, ...email.cc])}</span>
          <IconChevronRight size={12} aria-hidden data-open={details || undefined} />
        </UnstyledButton>
        <Button variant="subtle" color="gray" size="compact-xs" className={classes.action!} onClick={() => setWhole(true)}>
          {t`Show whole mail`}
        </Button>
      </div>
      <div id={id} hidden={!details}>
        {details && (
          <dl className={classes.details}>
            <Detail name={t({ message: "From", context: "mail" })} values={[named(email.from)]} />
            <Detail name={t({ message: "To", context: "mail" })} values={email.to.map(named)} />
            <Detail name={t`Cc`} values={email.cc.map(named)} />
            <Detail name={t`Subject`} values={[email.subject || t`(no subject)`]} />
            {email.recipients.length > 0 && (
              <div>
                <dt>{t`Status`}</dt>
                <dd>
                  <ul>
                    {email.recipients.map((r) => (
                      <li key={r.email} data-status={r.status}>
                        {r.email}: {statusName(r.status)}
                        {r.error && `. ${r.error}`}
                      </li>
                    ))}
                  </ul>
                </dd>
              </div>
            )}
          </dl>
        )}
      </div>
      {trouble && <Trouble text={trouble} message={message} email={email} request={request} />}
      <WholeMail message={message} opened={whole} close={() => setWhole(false)} />
    </div>
  );
}

function inWords({ direction, status }: MessageEmail, all: string[]): string {
  const names = few(all);
  if (direction === "in") return all.length > 0 ? t`By mail to ${names}` : t`By mail`;
  switch (status) {
    case "waiting":
      return t`Mail waiting to be sent to ${names}`;
    case "perhaps_sent":
      return t`Mail perhaps sent to ${names}`;
    case "failed":
      return t`Mail not delivered to ${names}`;
    default:
      return t`Mail sent to ${names}`;
  }
}

function Detail({ name, values }: { name: string; values: string[] }) {
  if (values.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{values.join(", ")}</dd>
    </div>
  );
}

/** Why a mail did not arrive, or may not have, and the way to send it again. */
function Trouble({ text, message, email, request }: { text: string; message: Message; email: MessageEmail; request: Request }) {
  const client = useQueryClient();
  const mayWrite = useMayWrite();
  const [asking, setAsking] = useState(false);
  const again = async () => {
    await sendMailAgain(client, request.id, message.id);
    tell(t`The mail is being sent again.`);
  };
  const sending = useMutation({ mutationFn: again, onError: (e) => tellProblem(e, t`The mail was not sent again.`) });
  const twice = email.recipients.filter((r) => r.status === "perhaps_sent").map((r) => r.email);
  const names = few(twice);
  return (
    <div className={classes.trouble}>
      <span>{text}</span>
      {mayWrite && (
        <Button variant="default" size="compact-sm" loading={sending.isPending} onClick={() => (twice.length > 0 ? setAsking(true) : sending.mutate())}>
          {t`Send again`}
        </Button>
      )}
      <Question opened={asking} close={() => setAsking(false)} title={t`Send this mail again?`} yes={t`Send again`} dangerous={false} run={again}>
        {t`${names} may already have it, and would then get it twice. A mail cannot be taken back.`}
      </Question>
    </div>
  );
}
