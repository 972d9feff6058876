// What a screen shows instead of its content: loading, empty, or an error.
import { Alert, Button, Center, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, type TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Problem, sentence } from "../api/client";

/** An empty place that says what to do next. */
export function Empty({ icon: Icon, title, children, action }: { icon?: TablerIcon; title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Center p="xl" mih={200} h="100%">
      <Stack align="center" gap="xs" maw={380}>
        {Icon && <Icon size={32} stroke={1.4} color="var(--faint)" aria-hidden />}
        <Title order={2} ta="center">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" ta="center" component="div">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}

/** A failure: what happened, and the one thing that helps. */
export function Failure({ error, retry, kept }: { error: unknown; retry?: () => void; kept?: string }) {
  const gone = error instanceof Problem && error.status === 404;
  return (
    <div role="alert">
      <Empty
        icon={IconAlertTriangle}
        title={gone ? "Not found" : "Something went wrong"}
        action={
          retry &&
          !gone && (
            <Button variant="default" onClick={retry}>
              Try again
            </Button>
          )
        }
      >
        {sentence(error)} {kept}
      </Empty>
    </div>
  );
}

/** Why something was refused, next to what asked for it. Nothing without an error. */
export function Refused({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      {sentence(error)}
    </Alert>
  );
}

/** The first loading of a screen. Later ones happen in place. */
export function Loading({ rows = 6, height = 18 }: { rows?: number; height?: number }) {
  return (
    <Stack p="md" gap="md" role="group" aria-busy aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={height} width={`${92 - ((i * 17) % 40)}%`} />
      ))}
    </Stack>
  );
}
