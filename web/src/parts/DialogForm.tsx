import { t } from "@lingui/core/macro";
import { Box, Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { Problem } from "../api/client";
import { Refused } from "./states";

/**
 * The form in a dialog: its fields, Cancel, and the button that sends it. It stays open when it is refused. The reason is
 * shown at the field it belongs to, or above the buttons if no field has asked for it with `wrong`.
 */
export function DialogForm<T>({
  send,
  done,
  close,
  yes,
  ready = true,
  aside,
  children,
}: {
  send: () => Promise<T>;
  done: (sent: T) => void;
  close: () => void;
  /** What the button says: the verb. */
  yes: string;
  /** Whether it can be sent. */
  ready?: boolean;
  /** Another button, at the far end of the line. */
  aside?: ReactNode;
  /** The fields. `wrong` returns what is wrong with one, by its name in the API; an error of a list's item is the list's. */
  children: (wrong: (field: string) => string | undefined) => ReactNode;
}) {
  const sending = useMutation({ mutationFn: send, onSuccess: done });
  const problems = sending.error instanceof Problem ? sending.error.fields : {};
  let shown = false;
  const fields = children((name) => {
    const wrong = problems[name] ?? Object.entries(problems).find(([field]) => field.startsWith(`${name}[`))?.[1];
    if (wrong !== undefined) shown = true;
    return wrong;
  });
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (ready) sending.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {fields}
        {!shown && <Refused error={sending.error} />}
        <Group justify="flex-end">
          {aside && <Box mr="auto">{aside}</Box>}
          <Button variant="default" onClick={close}>
            {t`Cancel`}
          </Button>
          <Button type="submit" loading={sending.isPending} disabled={!ready}>
            {yes}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
