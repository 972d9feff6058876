import { t } from "@lingui/core/macro";
import { Alert, Avatar, Group, Pill, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { SourceMessage } from "../../data/announcements";
import { Html } from "../../parts/Html";
import classes from "./Announcements.module.css";

type Props = {
  title?: string;
  /** Which channel it is, to choose another. */
  head?: ReactNode;
  message: Pick<SourceMessage, "html" | "files" | "problem">;
  sender: { name: string; avatar?: string | null };
  foot?: ReactNode;
};

/**
 * A picture of the sandbox is named by the address that this server had when the message was posted. It is here, too,
 * and pages show no picture from another server without https.
 */
function pictureOf(avatar: string | null | undefined): string | undefined {
  if (!avatar || !URL.canParse(avatar)) return undefined;
  const { pathname, protocol } = new URL(avatar);
  return protocol === "http:" && pathname.startsWith("/sandbox/avatars/") ? pathname : avatar;
}

/** A message as it will stand in the channels, or stands there. */
export function Preview({ title = t`Preview`, head, message, sender, foot }: Props) {
  return (
    <section className={classes.preview} aria-label={title}>
      <h2 className={classes.previewTitle}>{title}</h2>
      {head}
      {message.problem && (
        <Alert color="red" variant="light" role="alert" radius={0}>
          {message.problem}
        </Alert>
      )}
      <div className={classes.copy}>
        <Avatar src={pictureOf(sender.avatar)} name={sender.name} color="initials" size={34} radius="sm" alt="" aria-hidden styles={{ placeholder: { color: "var(--text)" } }} />
        <div className={classes.said}>
          <Text fw={600} dir="auto">
            {sender.name}
          </Text>
          <Html html={message.html} />
          {message.files.length > 0 && (
            <Group gap={6} mt={8}>
              {message.files.map((f, i) => (
                <Pill key={i}>{f.name}</Pill>
              ))}
            </Group>
          )}
        </div>
      </div>
      {foot}
    </section>
  );
}
