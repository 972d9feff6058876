import { Anchor } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import classes from "./Settings.module.css";

/** The way from a record to the list that it is in. */
export function Up({ page, label }: { page: string; label: string }) {
  return (
    <Anchor component={Link} to={`/settings/${page}`} size="sm" c="dimmed" className={classes.up}>
      <IconChevronLeft size={16} aria-hidden /> {label}
    </Anchor>
  );
}
