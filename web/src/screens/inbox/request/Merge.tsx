import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { undoNewest } from "../../../data/history";
import { requestsToChoose, useMerge } from "../../../data/merge";
import type { ListedRequest, Request } from "../../../data/requests";
import { StateSign } from "../../../parts/request";
import { didWithUndo } from "../../../data/undo";
import classes from "./Request.module.css";

const most = 20;

/** Chooses requests that are about the same, and makes them one. */
export function Merge({ request, opened, close }: { request: Request; opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title={`Merge requests into ${request.key}`} size="lg">
      {opened && <Choose request={request} close={close} />}
    </Modal>
  );
}

function Choose({ request, close }: { request: Request; close: () => void }) {
  const client = useQueryClient();
  const merge = useMerge();
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), 200);
  const [chosen, setChosen] = useState<ListedRequest[]>([]);
  const found = useQuery({ ...requestsToChoose(query), placeholderData: keepPreviousData });
  const others = (found.data ?? []).filter((r) => r.id !== request.id && r.state !== "closed" && !chosen.some((c) => c.id === r.id));
  const toggle = (r: ListedRequest) => setChosen(chosen.some((c) => c.id === r.id) ? chosen.filter((c) => c.id !== r.id) : [...chosen, r].slice(0, most));
  const names = chosen.map((r) => r.key).join(", ");

  const run = () =>
    merge.mutate(
      { into: request.id, ids: chosen.map((c) => c.id) },
      {
        onSuccess: () => {
          close();
          didWithUndo(`${names} merged into ${request.key}.`, () => void undoNewest(client, request.id, "request.merged"));
        },
      },
    );
  return (
    <Stack gap="sm">
      <TextInput
        data-autofocus
        leftSection={<IconSearch size={14} aria-hidden />}
        label="Find requests"
        placeholder="Search titles and messages"
        value={typed}
        onChange={(e) => setTyped(e.currentTarget.value)}
      />
      <ul className={classes.choices} aria-label="Requests">
        {[...chosen, ...others].map((r) => (
          <li key={r.id}>
            <Checkbox
              size="xs"
              checked={chosen.some((c) => c.id === r.id)}
              onChange={() => toggle(r)}
              label={
                <Group gap={8} wrap="nowrap" component="span">
                  <StateSign state={r.state} />
                  <span className={classes.faint}>{r.key}</span>
                  <span dir="auto">{r.title}</span>
                </Group>
              }
            />
          </li>
        ))}
        {found.isSuccess && chosen.length + others.length === 0 && <Text c="dimmed">No matching requests. Closed requests cannot be merged.</Text>}
      </ul>
      <Text size="sm" aria-live="polite">
        {chosen.length === 0
          ? `The selected requests will be merged into ${request.key}.`
          : `The messages, files and tickets of ${names} move to ${request.key}. Tags are combined. ${chosen.length === 1 ? "It leaves" : "They leave"} the lists, and links to ${chosen.length === 1 ? "it" : "them"} lead here. ${request.key} keeps its title, state and assignee. You can undo this.`}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button disabled={chosen.length === 0} loading={merge.isPending} onClick={run}>
          {chosen.length < 2 ? "Merge" : `Merge ${chosen.length} requests`}
        </Button>
      </Group>
    </Stack>
  );
}
