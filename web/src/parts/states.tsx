// What a screen shows instead of its content: loading, empty, or an error.
import { t } from "@lingui/core/macro";
import { Alert, Button, Center, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, type TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Problem, sentence } from "../api/client";
import classes from "./states.module.css";

type EmptyProps = { icon?: TablerIcon; drawing?: ReactNode; title: string; /** It is all that the page has. */ whole?: boolean | undefined; children?: ReactNode; action?: ReactNode };

/** An empty place that says what to do next. */
export function Empty({ icon: Icon, drawing, title, whole = false, children, action }: EmptyProps) {
  return (
    <Center p="xl" mih={200} h="100%">
      <Stack align="center" gap="xs" maw={380}>
        {drawing}
        {Icon && <Icon size={32} stroke={1.4} color="var(--faint)" aria-hidden />}
        <Title order={whole ? 1 : 2} size="h2" ta="center">
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
export function Failure({ error, retry, kept, whole }: { error: unknown; retry?: () => void; kept?: string; whole?: boolean }) {
  const gone = error instanceof Problem && error.status === 404;
  return (
    <div role="alert">
      <Empty
        icon={IconAlertTriangle}
        whole={whole}
        title={gone ? t`Not found` : t`Something went wrong`}
        action={
          retry &&
          !gone && (
            <Button variant="default" onClick={retry}>
              {t`Try again`}
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

/** The error of a form, unless it belongs to a field and is shown there. */
export function Refusal({ error }: { error: unknown }) {
  if (error instanceof Problem && Object.keys(error.fields).some((f) => f !== "")) return null;
  return <Refused error={error} />;
}

type Shape = "lines" | "rows" | "table" | "page";

/** The first loading of a screen, in the shape of what comes. It has its place at once, and is seen only by who waits. Later ones happen in place. */
export function Loading({ rows = 6, shape = "lines" }: { rows?: number; shape?: Shape }) {
  if (shape === "page")
    return (
      <Waiting className={classes.page}>
        <div>
          <Skeleton height={24} width={220} />
          <Skeleton height={72} mt="md" />
          <Bars rows={rows} />
        </div>
        <Skeleton height={280} />
      </Waiting>
    );
  if (shape === "lines")
    return (
      <Waiting className={classes.lines}>
        <Bars rows={rows} />
      </Waiting>
    );
  return (
    <Waiting className={classes[shape]}>
      {shape === "table" && (
        <div className={classes.head}>
          <Skeleton height={10} width={64} />
          <Skeleton height={10} width={48} />
          <Skeleton height={10} width={56} />
        </div>
      )}
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className={classes.row}>
          <Skeleton height={12} width={`${48 - ((i * 13) % 22)}%`} />
          <Skeleton height={12} width={72} />
          {shape === "table" && <Skeleton height={12} width={56} />}
        </div>
      ))}
    </Waiting>
  );
}

const Bars = ({ rows }: { rows: number }) => Array.from({ length: rows }, (_, i) => <Skeleton key={i} height={18} width={`${92 - ((i * 17) % 40)}%`} />);

/** Says that something loads. What is in it shows after a moment: what comes sooner needs no sign. */
export function Waiting({ className, children }: { className?: string | undefined; children: ReactNode }) {
  return (
    <div className={`waiting ${className ?? ""}`} role="group" aria-busy aria-label={t`Loading`}>
      {children}
    </div>
  );
}
