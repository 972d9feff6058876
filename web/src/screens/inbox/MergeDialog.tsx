import { plural, t } from "@lingui/core/macro";
import { Button, Group, Radio, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, sentence } from "../../api/client";
import { type ListedRequest, dropRequests, undoChange } from "../../data/requests";
import { didWithUndo } from "../../data/undo";
import { Dialog } from "../../parts/Dialog";
import { tellProblem } from "../../tell";
import { pointInTime } from "../../parts/time";

// As many as the API merges into one at once.
const most = 20;

/** Makes the requests that are selected one: which, is to be chosen. */
export function MergeDialog({ opened, requests, done, close, refresh }: { opened: boolean; requests: ListedRequest[]; done: (into: number) => void; close: () => void; refresh: () => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`${plural({ count: requests.length }, { one: "Merge # request", other: "Merge # requests" })}`}>
      {opened && <Form requests={requests} done={done} close={close} refresh={refresh} />}
    </Dialog>
  );
}

function Form({ requests, done, close, refresh }: { requests: ListedRequest[]; done: (into: number) => void; close: () => void; refresh: () => void }) {
  const client = useQueryClient();
  // The oldest is likely the one that everybody knows.
  const oldest = requests.toSorted((a, b) => a.created_at.localeCompare(b.created_at))[0];
  const [into, setInto] = useState(oldest?.id ?? 0);
  const [merging, setMerging] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const customers = new Set(requests.map((r) => r.customer?.name ?? t`no customer`));
  const names = [...customers].join(", ");
  const limit = most + 1;
  const tooMany = requests.length > limit;

  const merge = async () => {
    const ids = requests.map((r) => r.id).filter((id) => id !== into);
    setMerging(true);
    try {
      await ask(api.POST("/v1/rest/requests/{id}/merge", { params: { path: { id: into } }, body: { request_ids: ids } }));
      dropRequests(client, ids);
      void client.invalidateQueries({ queryKey: ["request", into] });
      didWithUndo(
        t`${plural({ count: ids.length + 1 }, { one: "# request merged.", other: "# requests merged." })}`,
        () => void undoChange(client, into, (h) => h.action === "request.merged").then(refresh, (e: unknown) => tellProblem(e, t`They are still merged.`)),
      );
      done(into);
    } catch (e) {
      setError(e);
      setMerging(false);
    }
  };
  return (
    <Stack>
      <Radio.Group label={t`Merge into`} value={String(into)} onChange={(v) => setInto(Number(v))}>
        <Stack gap="xs" mt="xs">
          {requests.map((r) => (
            <Radio key={r.id} value={String(r.id)} label={<bdi>{r.title}</bdi>} description={[r.customer?.name, pointInTime(r.created_at)].filter(Boolean).join(" · ")} />
          ))}
        </Stack>
      </Radio.Group>
      {customers.size > 1 && (
        <Text size="sm" c="var(--warn)">
          {t`These requests belong to different customers: ${names}.`}
        </Text>
      )}
      {tooMany && (
        <Text size="sm" c="var(--bad)">
          {t`${plural(limit, { one: "You can merge up to # request at once.", other: "You can merge up to # requests at once." })}`}
        </Text>
      )}
      {error !== null && (
        <Text size="sm" c="var(--bad)" role="alert">
          {sentence(error)} {t`Nothing was merged.`}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t`Cancel`}
        </Button>
        <Button onClick={() => void merge()} loading={merging} disabled={tooMany}>
          {t`Merge`}
        </Button>
      </Group>
    </Stack>
  );
}
