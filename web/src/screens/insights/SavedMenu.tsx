import { t } from "@lingui/core/macro";
import { Button, Menu } from "@mantine/core";
import { IconCheck, IconChevronDown, IconDeviceFloppy, IconPencil, IconTrash, IconUsers } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Exploration, changeExploration, explorationsQuery, makeExploration, removeExploration, restoreExploration } from "../../data/explorations";
import type { Meta } from "../../data/insights";
import { useIsAdmin } from "../../data/me";
import { didWithUndo } from "../../data/undo";
import { useCommands } from "../../frame/commands";
import { Failure } from "../../parts/states";
import { tell, tellProblem } from "../../tell";
import { fittingChart } from "./ExplorerChart";
import classes from "./Insights.module.css";
import { NameDialog, type Named } from "./NameDialog";
import { type Question, savedQuestion, searchOf, toSave } from "./question";

const said = ({ name }: Exploration) => ({
  updated: t`Exploration “${name}” updated.`,
  deleted: t`Exploration “${name}” deleted.`,
  command: t`Exploration: ${name}`,
  changed: t`${name} (changed)`,
  update: t`Update “${name}”`,
  rename: t`Rename or share “${name}”…`,
  remove: t`Delete “${name}”`,
});

/** The saved explorations, which of them is shown, and what can be done with it. */
export function SavedMenu({ question, meta, saved }: { question: Question; meta: Meta; saved: string | undefined }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const explorations = useQuery(explorationsQuery);
  const [opened, setOpened] = useState(false);
  const [dialog, setDialog] = useState<"save" | "rename" | null>(null);
  const all = explorations.data ?? [];
  const current = all.find((e) => String(e.id) === saved) ?? null;
  const fits = fittingChart(question, meta);
  const asked = toSave(question, fits);
  const same = current !== null && JSON.stringify(toSave(savedQuestion(current), fits)) === JSON.stringify(asked);
  const mayChange = current !== null && (current.mine || isAdmin);
  const show = (e: Exploration) => void navigate({ to: "/insights/explorer", search: { ...searchOf(savedQuestion(e)), saved: String(e.id) } });

  const save = async ({ name, shared }: Named) => {
    if (dialog === "rename" && current) await changeExploration(client, current.id, { name, shared });
    else show(await makeExploration(client, { ...asked, name, shared }));
  };
  const update = async (e: Exploration) => {
    try {
      await changeExploration(client, e.id, asked);
      tell(said(e).updated);
    } catch (problem) {
      tellProblem(problem, t`The exploration was not changed.`);
    }
  };
  const remove = async (e: Exploration) => {
    try {
      await removeExploration(client, e.id);
      didWithUndo(said(e).deleted, () => void restoreExploration(client, e.id).catch((problem: unknown) => tellProblem(problem)));
    } catch (problem) {
      tellProblem(problem, t`The exploration was not deleted.`);
    }
  };
  useCommands([
    { id: "exploration.save", label: t`Save this exploration`, group: t`Insights`, run: () => setDialog("save"), opens: true },
    ...(current && !same && mayChange ? [{ id: "exploration.update", label: said(current).update, group: t`Insights`, run: () => void update(current) }] : []),
    ...all.map((e) => ({ id: `exploration.${e.id}`, label: said(e).command, group: t`Insights`, run: () => show(e) })),
  ]);
  if (explorations.isError) return <Failure error={explorations.error} retry={() => void explorations.refetch()} />;
  return (
    <div className={classes.savedMenu}>
      <Menu opened={opened} onChange={setOpened} position="bottom-start" width={280}>
        <Menu.Target>
          <Button variant="default" fullWidth justify="space-between" loading={explorations.isPending} rightSection={<IconChevronDown size={14} aria-hidden />}>
            <span dir="auto" className={classes.slotName}>
              {current ? (same ? current.name : said(current).changed) : t`Saved explorations`}
            </span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu}>
          <Menu.Label>{all.length > 0 ? t`Saved explorations` : t`Nothing saved yet. Save what you see to find it here and to put it on a dashboard.`}</Menu.Label>
          {all.map((e) => (
            <Menu.Item
              key={e.id}
              onClick={() => show(e)}
              leftSection={e === current ? <IconCheck size={14} aria-label={t`Shown now`} /> : <span className={classes.blank} />}
              rightSection={e.shared && <IconUsers size={14} aria-label={t`Shared`} />}
            >
              <span dir="auto">{e.name}</span>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconDeviceFloppy size={14} />} disabled={question.measures.length === 0} onClick={() => setDialog("save")}>
            {t`Save as an exploration…`}
          </Menu.Item>
          {current && mayChange && (
            <>
              {!same && (
                <Menu.Item leftSection={<IconDeviceFloppy size={14} />} onClick={() => void update(current)}>
                  {said(current).update}
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => setDialog("rename")}>
                {said(current).rename}
              </Menu.Item>
              <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => void remove(current)}>
                {said(current).remove}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <NameDialog
        opened={dialog !== null}
        title={dialog === "rename" ? t`Rename or share exploration` : t`Save as an exploration`}
        was={dialog === "rename" ? current : null}
        send={save}
        done={(name) => tell(dialog === "rename" ? t`Saved.` : t`Exploration “${name}” saved.`)}
        close={() => setDialog(null)}
      />
    </div>
  );
}
