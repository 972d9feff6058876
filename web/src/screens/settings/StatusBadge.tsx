import { Badge } from "@mantine/core";
import type { Integration } from "../../data/integrations";

const looks = {
  connected: { word: "Connected", colour: "green" },
  pending: { word: "Waiting to be allowed in", colour: "yellow" },
  lost: { word: "Lost", colour: "red" },
};

/** Whether a system outside still lets us in. */
export function StatusBadge({ status }: { status: Integration["status"] }) {
  return (
    <Badge variant="light" color={looks[status].colour} tt="none" fw={500}>
      {looks[status].word}
    </Badge>
  );
}
