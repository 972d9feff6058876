import { Modal, Text } from "@mantine/core";
import { nameAndAddress } from "../../../data/addresses";
import { Html } from "../../../parts/Html";
import { fullTime } from "../../../parts/time";
import { size } from "./Attachments";
import type { Letter } from "./letters";
import classes from "./Mail.module.css";
import { MailSheet } from "./MailSheet";

/** What the mail of an answer will look like. */
export function MailPreview({ letter, html, files, opened, close }: { letter: Letter; html: string; files: { name: string; size: number }[]; opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Preview of the mail" size="xl">
      <MailSheet from={letter.from ? nameAndAddress(letter.from) : "The account’s address"} to={letter.to.map(nameAndAddress)} cc={letter.cc.map(nameAndAddress)} subject={letter.subject}>
        {html === "" ? <Text c="dimmed">Your text stands here.</Text> : <Html html={html} />}
        {letter.signature !== "" && (
          <div className={classes.signature}>
            <span aria-hidden>--</span>
            <Html html={letter.signature} />
          </div>
        )}
        {letter.quoted && (
          <div className={classes.quoted}>
            <p>
              On {fullTime(letter.quoted.message.created_at)}, {letter.quoted.author} wrote:
            </p>
            <blockquote>
              <Html html={letter.quoted.message.html_body} />
            </blockquote>
          </div>
        )}
      </MailSheet>
      {files.length > 0 && (
        <Text size="sm" mt="sm">
          Attached: {files.map((f) => `${f.name} (${size(f.size)})`).join(", ")}. What is larger than 15 MB together goes as links.
        </Text>
      )}
      <Text size="sm" c="dimmed" mt="sm">
        Each recipient gets their own copy. Their answers come back into this request.
      </Text>
    </Modal>
  );
}
