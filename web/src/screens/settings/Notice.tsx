import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Notice.module.css";

/** Something that wants attention and stays until it is mended. */
export function Notice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.notice}>
      <Title order={2} fz="inherit">
        {title}
      </Title>
      {children}
    </div>
  );
}
