import { plural, t } from "@lingui/core/macro";
import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { undoNewest } from "../../../data/history";
import { requestsToChoose, useMerge } from "../../../data/merge";
import type { ListedRequest, Request } from "../../../data/requests";
import { Dialog } from "../../../parts/Dialog";
import { StateSign } from "../../../parts/request";
import { didWithUndo } from "../../../data/undo";
import classes from "./Request.module.css";

const most = 20;

/** Chooses requests that are about the same, and makes them one. */
export function Merge({ request, opened, close }: { request: Request; opened: boolean; close: () => void }) {
  const { key } = request;
  return (
    <Dialog opened={opened} onClose={close} title={t`Merge requests into ${key}`} size="lg">
      {opened && <Choose request={request} close={close} />}
    </Dialog>
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
  const { key } = request;
  const names = chosen.map((r) => r.key).join(", ");

  const run = () =>
    merge.mutate(
      { into: request.id, ids: chosen.map((c) => c.id) },
      {
        onSuccess: () => {
          close();
          didWithUndo(t`${names} merged into ${key}.`, () => void undoNewest(client, request.id, "request.merged"));
        },
      },
    );
  return (
    <Stack gap="sm">
      <TextInput
        data-autofocus
        leftSection={<IconSearch size={14} aria-hidden />}
        label={t`Find requests`}
        placeholder={t`Search titles and messages`}
        value={typed}
        onChange={(e) => setTyped(e.currentTarget.value)}
      />
      <ul className={classes.choices} aria-label={t`Requests`}>
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
        {found.isSuccess && chosen.length + others.length === 0 && <Text c="dimmed">{t`No matching requests. Closed requests cannot be merged.`}</Text>}
      </ul>
      <Text size="sm" aria-live="polite">
        {chosen.length === 0
          ? t`The selected requests will be merged into ${key}.`
          : t`${plural(
              { count: chosen.length },
              {
                one: `The messages, files and tickets of ${names} move to ${key}. Tags are combined. It disappears from lists, and links to it lead here. ${key} keeps its title, state and assignee. You can undo this.`,
                other: `The messages, files and tickets of ${names} move to ${key}. Tags are combined. They disappear from lists, and links to them lead here. ${key} keeps its title, state and assignee. You can undo this.`,
              },
            )}`}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          {t`Cancel`}
        </Button>
        <Button disabled={chosen.length === 0} loading={merge.isPending} onClick={run}>
          {chosen.length < 2 ? t`Merge` : t`${plural({ count: chosen.length }, { one: "Merge # request", other: "Merge # requests" })}`}
        </Button>
      </Group>
    </Stack>
  );
}
