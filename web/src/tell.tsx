// The notifications at the edge of the screen: done, failed, and done with Undo.
import { plural, t } from "@lingui/core/macro";
import { Button, Group, Text } from "@mantine/core";
import { type NotificationData, notifications } from "@mantine/notifications";
import { sentence } from "./api/client";

const closeButtonProps = () => ({ "aria-label": t`Dismiss` });

/** Says that something is done. */
export function tell(message: string) {
  notifications.show({ message, autoClose: 3000, closeButtonProps: closeButtonProps() });
}

/** Says why something was not done, and what was kept. */
export function tellProblem(error: unknown, kept = "") {
  notifications.show({ color: "red", role: "alert", closeButtonProps: closeButtonProps(), message: `${sentence(error)}${kept && ` ${kept}`}`, autoClose: 10000 });
}

/** Says that something is done and offers to undo it for some seconds. Returns a function that hides the notification. */
export function tellUndo(message: string, undo: () => void, seconds = 8): () => void {
  return tellWithWay(message, t({ message: "Undo", context: "command" }), undo, { autoClose: seconds * 1000, withCloseButton: false });
}

/** Says that messages of an earlier page were never sent, and leads to the first. */
export function tellUnsent(count: number, open: () => void) {
  const message = plural(count, { one: "A message you wrote here was not sent. It is saved in this browser.", other: "# messages you wrote here were not sent. They are saved in this browser." });
  tellWithWay(message, t({ message: "Open", context: "command" }), open, { autoClose: false, closeButtonProps: closeButtonProps() });
}

/** A sentence with one thing to do. Gives a function that takes it away. */
function tellWithWay(message: string, label: string, run: () => void, how: Partial<NotificationData>): () => void {
  const id = notifications.show({
    ...how,
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
            run();
          }}
        >
          {label}
        </Button>
      </Group>
    ),
  });
  return () => notifications.hide(id);
}
