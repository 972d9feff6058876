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
          {last.scope === "all" ? "All requests" : "Open requests"} are being measured anew: {last.recomputed.toLocaleString("en")} so far. You can go on working.
        </Text>
      </Group>
    </Alert>
  );
}
