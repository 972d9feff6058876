import { t } from "@lingui/core/macro";
import { Stack, Text, Title } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./Settings.module.css";

/** A settings page: its heading, a sentence about it, and what it has, in one column. */
export function SettingsColumn({ title, about, action, back, children }: { title: string; about?: ReactNode; action?: ReactNode; back?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.column}>
      {back ?? (
        <Link to="/settings" className={classes.back}>
          <IconChevronLeft size={16} aria-hidden /> {t`Settings`}
        </Link>
      )}
      <div className={classes.heading}>
        <Title order={1}>{title}</Title>
        {action}
      </div>
      {about && (
        <Text c="dimmed" mt={4} component="div">
          {about}
        </Text>
      )}
      <Stack mt="lg" gap="lg">
        {children}
      </Stack>
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Section({ title, about, action, children }: { title: string; about?: ReactNode; action?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{title}</Title>
        {action}
      </div>
      {about && (
        <Text c="dimmed" size="sm" mt={4} component="div">
          {about}
        </Text>
      )}
      <Stack mt="sm" gap="md">
        {children}
      </Stack>
    </section>
  );
}
