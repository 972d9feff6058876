// A question before what cannot be undone.
import { t } from "@lingui/core/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Dialog } from "./Dialog";
import { Refused } from "./states";

/** Asks, does it, and stays open with the reason when it was refused. */
export function Question({
  opened,
  close,
  title,
  children,
  yes,
  run,
  dangerous = true,
}: {
  opened: boolean;
  close: () => void;
  title: string;
  children: ReactNode;
  /** What the button says: the verb, never just "Yes". */
  yes: string;
  run: () => Promise<unknown>;
  dangerous?: boolean;
}) {
  const answer = useMutation({ mutationFn: run, onSuccess: close });
  const leave = () => {
    answer.reset();
    close();
  };
  return (
    <Dialog opened={opened} onClose={leave} title={title}>
      <Stack>
        <Text component="div">{children}</Text>
        <Refused error={answer.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={leave} data-autofocus>
            {t`Cancel`}
          </Button>
          <Button {...(dangerous && { color: "red.9" })} loading={answer.isPending} onClick={() => answer.mutate()}>
            {yes}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
