import { t } from "@lingui/core/macro";
import { Alert, Group, Loader, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { recomputationQuery } from "../../../data/slaPolicies";
import { locale } from "../../../texts";

/** How far requests have followed the last change, while they do. */
export function Recomputation() {
  const last = useQuery(recomputationQuery).data;
  if (last?.status !== "running") return null;
  const done = last.recomputed.toLocaleString(locale);
  return (
    <Alert variant="light" role="status">
      <Group gap="sm" wrap="nowrap">
        <Loader size="xs" aria-hidden />
        <Text size="sm">{last.scope === "all" ? t`Recalculating all requests: ${done} so far. You can keep working.` : t`Recalculating open requests: ${done} so far. You can keep working.`}</Text>
      </Group>
    </Alert>
  );
}
