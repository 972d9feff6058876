// The sentences at the edge of the screen: done, failed, and done with a way back.
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { sentence } from "../api/client";

const closeButtonProps = { "aria-label": "Dismiss" };

/** Says that something is done. */
export function tell(message: string) {
  notifications.show({ message, autoClose: 3000, closeButtonProps });
}

/** Says why something was not done, and what was kept. */
export function tellProblem(error: unknown, kept = "") {
  notifications.show({ color: "red", role: "alert", closeButtonProps, message: `${sentence(error)}${kept && ` ${kept}`}`, autoClose: 10000 });
}

/** Says that something is done and offers to undo it for some seconds. Gives a function that takes the sentence away. */
export function tellUndo(message: string, undo: () => void, seconds = 8): () => void {
  const id = notifications.show({
    autoClose: seconds * 1000,
    withCloseButton: false,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" lineClamp={2}>
          {message}
        </Text>
        <Button
          variant="subtle"
          size="compact-sm"
          flex="none"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
  return () => notifications.hide(id);
}
