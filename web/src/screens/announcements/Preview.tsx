import { Alert, Avatar, Group, Pill, Text } from "@mantine/core";
import type { SourceMessage } from "../../data/announcements";
import { Html } from "../../parts/Html";
import classes from "./Announcements.module.css";

/** A message as it will stand in the channels, or stands there. */
export function Preview({ title = "Preview", message, sender }: { title?: string; message: SourceMessage; sender: { name: string; avatar?: string | null } }) {
  return (
    <section className={classes.preview} aria-label={title}>
      <h2 className={classes.previewTitle}>{title}</h2>
      {message.problem && (
        <Alert color="red" variant="light" role="alert" radius={0}>
          {message.problem}
        </Alert>
      )}
      <div className={classes.copy}>
        <Avatar src={sender.avatar} name={sender.name} color="initials" size={34} radius="sm" alt="" aria-hidden styles={{ placeholder: { color: "var(--text)" } }} />
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
    </section>
  );
}
