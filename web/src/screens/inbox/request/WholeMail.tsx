import { t } from "@lingui/core/macro";
import { Button, Group } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { mailSource, wholeMailQuery } from "../../../data/mail";
import { useIsAdmin } from "../../../data/me";
import type { Message } from "../../../data/requests";
import { Dialog } from "../../../parts/Dialog";
import { Html } from "../../../parts/Html";
import { Failure, Loading } from "../../../parts/states";
import { fullTime } from "../../../parts/time";
import { MailSheet } from "./MailSheet";

/** The mail of a message with its quoted history and signature. */
export function WholeMail({ message, opened, close }: { message: Message; opened: boolean; close: () => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`Whole mail`} size="xl">
      {opened && <Mail message={message} />}
    </Dialog>
  );
}

function Mail({ message }: { message: Message }) {
  const isAdmin = useIsAdmin();
  const { data: mail, error, refetch } = useQuery(wholeMailQuery(message.id));
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!mail) return <Loading rows={5} />;
  return (
    <>
      <MailSheet from={mail.from} to={mail.to} cc={mail.cc} subject={mail.subject} date={mail.date && fullTime(mail.date)}>
        {mail.html === "" ? <p>{t`This mail has no text.`}</p> : <Html html={mail.html} />}
      </MailSheet>
      {isAdmin && message.email?.direction === "in" && (
        <Group justify="flex-end" mt="md">
          <Button component="a" href={mailSource(message.id)} download variant="default" leftSection={<IconDownload size={14} aria-hidden />}>
            {t`Download source`}
          </Button>
        </Group>
      )}
    </>
  );
}
