import { t } from "@lingui/core/macro";
import { Menu, UnstyledButton } from "@mantine/core";
import { IconCheck, IconChevronDown, IconDeviceFloppy, IconPencil, IconTrash, IconUsers } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { memo, useEffect, useState } from "react";
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
export const ViewMenu = memo(function ViewMenu({ filters, narrow }: { filters: Filters; narrow: (f: Filters) => void }) {
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
      didWithUndo(t`View “${name}” deleted.`, () => void makeView(client, { name, query, shared }).catch((e: unknown) => tellProblem(e)));
    } catch (e) {
      tellProblem(e, t`The view was not deleted.`);
    }
  };
  const update = async ({ kept: view }: Shown) => {
    if (!view) return;
    try {
      await changeView(client, view.id, { query: toViewQuery(filters) });
      const { name } = view;
      tell(t`View “${name}” updated.`);
    } catch (e) {
      tellProblem(e, t`The view was not changed.`);
    }
  };
  const go = (v: Shown) => narrow(v.filters);
  useCommands([
    { id: "views", label: t`Views`, keys: "v", group: t`List`, run: () => setOpened(true), keyOnly: true },
    ...[...builtIn, ...kept].map((v) => {
      const { name } = v;
      return { id: `view ${v.key}`, label: t`View: ${name}`, group: t`Views`, run: () => go(v) };
    }),
    { id: "save view", label: t`Save filters as a view`, group: t`Views`, run: () => setDialog("save") },
  ]);
  const name = current?.name ?? t`Filtered`;
  const changedName = changed?.name ?? "";
  const item = (v: Shown) => (
    <Menu.Item
      key={v.key}
      onClick={() => go(v)}
      leftSection={v.key === current?.key ? <IconCheck size={14} aria-label={t`Current view`} /> : <span className={classes.blank} />}
      rightSection={v.kept?.shared && <IconUsers size={14} aria-label={t({ message: "Shared", context: "view" })} />}
    >
      {v.name}
    </Menu.Item>
  );
  return (
    <>
      <Menu opened={opened} onChange={setOpened} position="bottom-start" width={260}>
        <Menu.Target>
          <UnstyledButton className={classes.view} aria-label={t`View: ${name}`}>
            <h1 dir="auto">{name}</h1>
            <IconChevronDown size={14} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu}>
          <Menu.Label>
            {t`Views`} <Keys keys="v" />
          </Menu.Label>
          {builtIn.map(item)}
          {kept.length > 0 && <Menu.Divider />}
          {kept.length > 0 && <Menu.Label>{t({ message: "Saved", context: "views" })}</Menu.Label>}
          {kept.map(item)}
          <Menu.Divider />
          <Menu.Item leftSection={<IconDeviceFloppy size={14} />} onClick={() => setDialog("save")}>
            {t`Save filters as a view…`}
          </Menu.Item>
          {changed && (
            <Menu.Item leftSection={<IconDeviceFloppy size={14} />} onClick={() => void update(changed)}>
              {t`Update “${changedName}” with these filters`}
            </Menu.Item>
          )}
          {current && mayChange(current) && (
            <>
              <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => setDialog("rename")}>
                {t`Rename or share “${name}”…`}
              </Menu.Item>
              <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => void remove(current)}>
                {t`Delete “${name}”`}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <ViewDialog opened={dialog !== null} view={dialog === "rename" ? (current?.kept ?? null) : null} filters={filters} close={() => setDialog(null)} />
    </>
  );
});
