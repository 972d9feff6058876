import { Alert, Group, Loader, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { recomputationQuery } from "../../../data/slaPolicies";

/** How far requests have followed the last change, while they do. */
export function Recomputation() {
  const last = useQuery(recomputationQuery).data;
  if (last?.status !== "running") return null;
  return (
    <Alert variant="light" role="status">
      <Group gap="sm" wrap="nowrap">
        <Loader size="xs" aria-hidden />
        <Text size="sm">
          Recalculating {last.scope === "all" ? "all" : "open"} requests: {last.recomputed.toLocaleString("en")} so far. You can keep working.
        </Text>
      </Group>
    </Alert>
  );
}
