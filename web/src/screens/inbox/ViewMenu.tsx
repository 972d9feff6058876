import { Menu, UnstyledButton } from "@mantine/core";
import { IconCheck, IconChevronDown, IconDeviceFloppy, IconPencil, IconTrash, IconUsers } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useIsAdmin } from "../../data/me";
import { didWithUndo } from "../../data/undo";
import { changeView, makeView, removeView } from "../../data/views";
import { Keys, useCommands } from "../../frame/commands";
import { tell, tellProblem } from "../../tell";
import { type Filters, toViewQuery } from "./filters";
import classes from "./Inbox.module.css";
import { ViewDialog } from "./ViewDialog";
import { type Shown, useViews } from "./views";

/** Which view is shown, the others, and what can be done with them. */
export function ViewMenu({ filters, narrow }: { filters: Filters; narrow: (f: Filters) => void }) {
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  const { builtIn, kept, current } = useViews(filters);
  const [opened, setOpened] = useState(false);
  const [dialog, setDialog] = useState<"save" | "rename" | null>(null);
  // Filters changed after choosing a view can be saved to that view, so remember which one it was.
  const [lastKey, setLastKey] = useState<string | null>(null);
  const key = current?.key;
  useEffect(() => {
    if (key) setLastKey(key);
  }, [key]);

  const mayChange = (v: Shown | null) => v?.kept && (v.kept.mine || isAdmin);
  const last = kept.find((v) => v.key === lastKey) ?? null;
  const changed = !current && mayChange(last) ? last : null;
  const remove = async ({ kept: view }: Shown) => {
    if (!view) return;
    const { name, query, shared } = view;
    try {
      await removeView(client, view.id);
      narrow({ state: "unsolved" });
      didWithUndo(`View “${name}” deleted.`, () => void makeView(client, { name, query, shared }).catch((e: unknown) => tellProblem(e)));
    } catch (e) {
      tellProblem(e, "The view was not deleted.");
    }
  };
  const update = async ({ kept: view }: Shown) => {
    if (!view) return;
    try {
      await changeView(client, view.id, { query: toViewQuery(filters) });
      tell(`View “${view.name}” updated.`);
    } catch (e) {
      tellProblem(e, "The view was not changed.");
    }
  };
  const go = (v: Shown) => narrow(v.filters);
  useCommands([
    { id: "views", label: "Views", keys: "v", group: "List", run: () => setOpened(true), keyOnly: true },
    ...[...builtIn, ...kept].map((v) => ({ id: `view ${v.key}`, label: `View: ${v.name}`, group: "Views", run: () => go(v) })),
    { id: "save view", label: "Save filters as a view", group: "Views", run: () => setDialog("save") },
  ]);
  const item = (v: Shown) => (
    <Menu.Item
      key={v.key}
      onClick={() => go(v)}
      leftSection={v.key === current?.key ? <IconCheck size={14} aria-label="Current view" /> : <span className={classes.blank} />}
      rightSection={v.kept?.shared && <IconUsers size={14} aria-label="Shared" />}
    >
      {v.name}
    </Menu.Item>
  );
  return (
    <>
      <Menu opened={opened} onChange={setOpened} position="bottom-start" width={260}>
        <Menu.Target>
          <UnstyledButton className={classes.view} aria-label={`View: ${current?.name ?? "Filtered"}`}>
            <h1 dir="auto">{current?.name ?? "Filtered"}</h1>
            <IconChevronDown size={14} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu}>
          <Menu.Label>
            Views <Keys keys="v" />
          </Menu.Label>
          {builtIn.map(item)}
          {kept.length > 0 && <Menu.Divider />}
          {kept.length > 0 && <Menu.Label>Saved</Menu.Label>}
          {kept.map(item)}
          <Menu.Divider />
          <Menu.Item leftSection={<IconDeviceFloppy size={14} />} onClick={() => setDialog("save")}>
            Save filters as a view…
          </Menu.Item>
          {changed && (
            <Menu.Item leftSection={<IconDeviceFloppy size={14} />} onClick={() => void update(changed)}>
              Update “{changed.name}” with these filters
            </Menu.Item>
          )}
          {current && mayChange(current) && (
            <>
              <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => setDialog("rename")}>
                Rename or share “{current.name}”…
              </Menu.Item>
              <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => void remove(current)}>
                Delete “{current.name}”
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <ViewDialog opened={dialog !== null} view={dialog === "rename" ? (current?.kept ?? null) : null} filters={filters} close={() => setDialog(null)} />
    </>
  );
}
