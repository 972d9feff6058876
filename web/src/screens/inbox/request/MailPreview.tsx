import { t } from "@lingui/core/macro";
import { Text } from "@mantine/core";
import { nameAndAddress } from "../../../data/addresses";
import { Dialog } from "../../../parts/Dialog";
import { Html } from "../../../parts/Html";
import { fullTime } from "../../../parts/time";
import { size } from "./Attachments";
import type { Letter } from "./letters";
import classes from "./Mail.module.css";
import { MailSheet } from "./MailSheet";

/** What the mail of an answer will look like. */
export function MailPreview({ letter, html, files, opened, close }: { letter: Letter; html: string; files: { name: string; size: number }[]; opened: boolean; close: () => void }) {
  const names = files.map((f) => `${f.name} (${size(f.size)})`).join(", ");
  return (
    <Dialog opened={opened} onClose={close} title={t`Preview of the mail`} size="xl">
      <MailSheet from={letter.from ? nameAndAddress(letter.from) : t`The account’s address`} to={letter.to.map(nameAndAddress)} cc={letter.cc.map(nameAndAddress)} subject={letter.subject}>
        {html === "" ? <Text c="dimmed">{t`Your text goes here.`}</Text> : <Html html={html} />}
        {letter.signature !== "" && (
          <div className={classes.signature}>
            <span aria-hidden>--</span>
            <Html html={letter.signature} />
          </div>
        )}
        {letter.quoted && (
          <div className={classes.quoted}>
            <p>{wrote(letter.quoted)}</p>
            <blockquote>
              <Html html={letter.quoted.message.html_body} />
            </blockquote>
          </div>
        )}
      </MailSheet>
      {files.length > 0 && (
        <Text size="sm" mt="sm">
          {t`Attached: ${names}. Attachments of more than 15 MB in total are sent as links.`}
        </Text>
      )}
      <Text size="sm" c="dimmed" mt="sm">
        {t`Each recipient gets their own copy. Their replies come back to this request.`}
      </Text>
    </Dialog>
  );
}

// The mail itself says it in English.
// eslint-disable-next-line lingui/no-unlocalized-strings
const wrote = ({ author, message }: NonNullable<Letter["quoted"]>) => `On ${fullTime(message.created_at)}, ${author} wrote:`;
