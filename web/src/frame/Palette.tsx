import { t } from "@lingui/core/macro";
import { Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState } from "react";
import { api, ask } from "../api/client";
import { customersQuery } from "../data/customers";
import { keyIn } from "../data/requests";
import { Dialog } from "../parts/Dialog";
import { type Command, Keys, useAllCommands } from "./commands";
import classes from "./Palette.module.css";

/** Everything that can be done and opened, by typing a part of its name. */
export function Palette({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Dialog opened={opened} onClose={close} withCloseButton={false} padding={0} size="lg" yOffset="12vh" centered={false} title={t`Command palette`} classNames={{ header: "visually-hidden" }}>
      {opened && <Search close={close} />}
    </Dialog>
  );
}

function Search({ close }: { close: () => void }) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [query] = useDebouncedValue(typed.trim(), 120);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const commands = useAllCommands().filter((c) => !c.keyOnly && begins(c.label, typed));
  const found = useFound(query);
  const options = [...commands, ...found];

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const run = (c: Command | undefined) => {
    if (!c) return;
    close();
    c.run();
  };
  return (
    <>
      <TextInput
        variant="unstyled"
        size="md"
        px="md"
        py={6}
        data-autofocus
        leftSection={<IconSearch size={16} aria-hidden />}
        placeholder={t`Run a command, or find a request or customer`}
        aria-label={t`Run a command, or find a request or customer`}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={options[at] ? `${listId}-${at}` : undefined}
        value={typed}
        onChange={(e) => {
          setTyped(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
          if (step !== 0) {
            e.preventDefault();
            setAt((at + step + options.length) % Math.max(1, options.length));
          } else if (e.key === "Enter") {
            e.preventDefault();
            run(options[at]);
          }
        }}
      />
      <div className={classes.list} id={listId} role="listbox" aria-label={t`Results`} ref={list} tabIndex={-1}>
        {options.map((c, i) => (
          <div key={c.id} id={`${listId}-${i}`} role="option" aria-selected={i === at} className={classes.option} onMouseMove={() => setAt(i)} onClick={() => run(c)}>
            <Text size="sm" truncate dir="auto">
              {c.label}
            </Text>
            <span className={classes.group}>{c.keys ? <Keys keys={c.keys} /> : c.group}</span>
          </div>
        ))}
      </div>
      {options.length === 0 && (
        <Text size="sm" c="dimmed" p="xs">
          {t`No results. Try a word from a request’s title.`}
        </Text>
      )}
    </>
  );
}

/** Each word that was typed begins a word of the name. */
function begins(name: string, typed: string): boolean {
  const words = name.toLowerCase().split(/\s+/);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((t) => words.some((w) => w.startsWith(t)));
}

function useFound(query: string): Command[] {
  const navigate = useNavigate();
  const enabled = query.length >= 2;
  const requests = useQuery({
    queryKey: ["palette", "requests", query],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/requests/search", { params: { query: { query, limit: 6 } }, signal }))).requests,
  }).data;
  const customers = useQuery({ ...customersQuery, enabled })
    .data?.filter((c) => begins(c.name, query))
    .slice(0, 4);
  if (!enabled) return [];
  const open = (name: string) => void navigate({ to: "/requests/$id", params: { id: name } });
  // Who types a key and presses Enter waits for no search.
  const key = keyIn(query);
  const found = (requests ?? []).map((r) => ({ id: `request ${r.id}`, label: `${r.key} ${r.title}`, group: t`Request`, run: () => open(r.key as string) }));
  return [
    ...(key !== null && !(requests ?? []).some((r) => r.key === key) ? [{ id: "request by its key", label: t`Go to ${key}`, group: t`Request`, run: () => open(key) }] : []),
    ...found,
    ...(customers ?? []).map((c) => ({ id: `customer ${c.id}`, label: c.name, group: t`Customer`, run: () => void navigate({ to: "/customers/$id", params: { id: String(c.id) } }) })),
  ];
}
