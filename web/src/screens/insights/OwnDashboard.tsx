import { plural, t } from "@lingui/core/macro";
import { ActionIcon, Button, Menu, SegmentedControl, Select } from "@mantine/core";
import { IconClockPlay, IconDots, IconLayoutGridAdd, IconPencil, IconSend, IconTrash, IconX } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Card, type Dashboard, changeDashboard, dashboardsQuery, explorationsQuery, removeDashboard, restoreDashboard } from "../../data/explorations";
import { type Filter, type Meta, insightsMetaQuery } from "../../data/insights";
import { useIsAdmin, useMe } from "../../data/me";
import { didWithUndo } from "../../data/undo";
import { useCommands } from "../../frame/commands";
import { AppLink } from "../../parts/AppLink";
import { MoveButtons, moved, useKeepFocus } from "../../parts/Order";
import { daysIn } from "../../parts/days";
import { Empty, Failure, Loading } from "../../parts/states";
import { tell, tellProblem } from "../../tell";
import { Narrow } from "./Dashboard";
import { ExplorationCard } from "./ExplorationCard";
import classes from "./Insights.module.css";
import { NameDialog } from "./NameDialog";
import { RangePicker } from "./RangePicker";
import { Schedules, sendToMe } from "./Schedules";
import { type BoardSearch, filtersFrom, narrowed, narrowingOf, textOfFilters } from "./board";
import { dateRangeOf, periodName, periodOf, rangeWordOf } from "./period";

const route = getRouteApi("/frame/insights/dashboards/$id");

/** A dashboard that somebody put together. */
export function OwnDashboard() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const zone = useMe()?.account.time_zone;
  const dashboards = useQuery(dashboardsQuery);
  const meta = useQuery(insightsMetaQuery);
  const failed = [dashboards, meta].find((q) => q.isError);
  if (failed) return <Failure error={failed.error} retry={() => void failed.refetch()} />;
  if (!dashboards.data || !meta.data || !zone) return <Loading />;
  const board = dashboards.data.find((d) => String(d.id) === id);
  if (!board) return <Empty title={t`Dashboard not found`}>{t`It was deleted or is not shared with you. Its creator can share it.`}</Empty>;
  return <Shown key={board.id} board={board} search={search} meta={meta.data} zone={zone} />;
}

function Shown({ board, search, meta, zone }: { board: Dashboard; search: BoardSearch; meta: Meta; zone: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const mayChange = board.mine || isAdmin;
  const [arranging, setArranging] = useState(board.cards.length === 0 && board.mine);
  const [naming, setNaming] = useState(false);
  const [scheduling, setScheduling] = useState(false);
  const range = search.range ?? rangeWordOf(board.date_range);
  const filters = search.filters === undefined ? board.filters : filtersFrom(search.filters);
  const period = periodOf(range, zone);
  const shownPeriod = periodName(period);
  const days = daysIn(period);
  const go = (part: BoardSearch) => void navigate({ to: "/insights/dashboards/$id", params: { id: String(board.id) }, search: { ...search, ...part }, replace: true });
  const differs = (search.range !== undefined && search.range !== (rangeWordOf(board.date_range) ?? "30d")) || (search.filters !== undefined && search.filters !== textOfFilters(board.filters));

  const change = async (body: Parameters<typeof changeDashboard>[2], said?: string) => {
    try {
      await changeDashboard(client, board.id, body);
      if (said) tell(said);
    } catch (e) {
      tellProblem(e, t`The dashboard was not changed.`);
    }
  };
  const keep = async () => {
    await change({ date_range: dateRangeOf(range) as Dashboard["date_range"], filters }, t`Saved for this dashboard.`);
    go({ range: undefined, filters: undefined });
  };
  const remove = async () => {
    try {
      await removeDashboard(client, board.id);
      void navigate({ to: "/insights/$dashboard", params: { dashboard: "volume" } });
      const { name } = board;
      didWithUndo(t`Dashboard “${name}” deleted.`, () => {
        restoreDashboard(client, board.id).then(
          () => void navigate({ to: "/insights/dashboards/$id", params: { id: String(board.id) } }),
          (e: unknown) => tellProblem(e),
        );
      });
    } catch (e) {
      tellProblem(e, t`The dashboard was not deleted.`);
    }
  };
  useCommands([
    { id: "dashboard.schedule", label: t`Send this dashboard on a schedule`, group: t`Insights`, run: () => setScheduling(true), opens: true },
    { id: "dashboard.send", label: t`Send this dashboard to me now`, group: t`Insights`, run: () => void sendToMe(board) },
    ...(mayChange
      ? [
          { id: "dashboard.arrange", label: arranging ? t`Done arranging` : t`Arrange this dashboard`, group: t`Insights`, run: () => setArranging(!arranging) },
          { id: "dashboard.rename", label: t`Rename or share this dashboard`, group: t`Insights`, run: () => setNaming(true), opens: true },
        ]
      : []),
  ]);
  return (
    <>
      <div className={classes.boardHead}>
        <h2 className={classes.boardName} dir="auto">
          {board.name} {board.shared && <span className={classes.faint}>· {t`shared`}</span>}
        </h2>
        {mayChange && (
          <Button variant={arranging ? "filled" : "default"} leftSection={<IconLayoutGridAdd size={14} aria-hidden />} aria-pressed={arranging} onClick={() => setArranging(!arranging)}>
            {arranging ? t({ message: "Done", context: "ends arranging" }) : t`Arrange`}
          </Button>
        )}
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon size="lg" variant="default" aria-label={t`More for this dashboard`}>
              <IconDots size={16} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconClockPlay size={14} />} onClick={() => setScheduling(true)}>
              {t`Send on a schedule…`}
            </Menu.Item>
            <Menu.Item leftSection={<IconSend size={14} />} onClick={() => void sendToMe(board)}>
              {t`Send to me now`}
            </Menu.Item>
            {mayChange && (
              <>
                <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => setNaming(true)}>
                  {t`Rename or share…`}
                </Menu.Item>
                <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => void remove()}>
                  {t`Delete`}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      </div>
      <div className={classes.tools}>
        <RangePicker range={range} period={period} change={(word) => go({ range: word ?? "30d" })} />
        <Narrow search={narrowingOf(filters)} change={(part) => go({ filters: textOfFilters(narrowed(filters, part)) })} />
        {differs && mayChange && (
          <Button variant="default" onClick={() => void keep()}>
            {t`Save for this dashboard`}
          </Button>
        )}
      </div>
      <p className={classes.period}>{t`${shownPeriod}. Point at a figure to see the previous ${plural(days, { one: "day", other: "# days" })}.`}</p>
      <Board board={board} arranging={arranging && mayChange} range={range} filters={filters} meta={meta} zone={zone} change={(cards) => void change({ cards })} />
      <NameDialog
        opened={naming}
        title={t`Rename or share dashboard`}
        was={board}
        send={async (named) => void (await changeDashboard(client, board.id, named))}
        done={() => tell(t`Saved.`)}
        close={() => setNaming(false)}
      />
      <Schedules board={board} opened={scheduling} close={() => setScheduling(false)} />
    </>
  );
}

/** The cards, and while they are arranged what moves, widens, removes and adds them. */
function Board({
  board,
  arranging,
  range,
  filters,
  meta,
  zone,
  change,
}: {
  board: Dashboard;
  arranging: boolean;
  range: string | undefined;
  filters: Filter[];
  meta: Meta;
  zone: string;
  change: (cards: Card[]) => void;
}) {
  const explorations = useQuery(explorationsQuery);
  const keepFocus = useKeepFocus();
  if (explorations.isError) return <Failure error={explorations.error} retry={() => void explorations.refetch()} />;
  if (!explorations.data) return <Loading />;
  const { cards } = board;
  const found = (card: Card) => explorations.data.find((e) => e.id === card.exploration_id);
  const free = explorations.data.filter((e) => !cards.some((c) => c.exploration_id === e.id));
  const fitting = board.shared ? free.filter((e) => e.shared) : free;
  const hidden = free.length - fitting.length;
  return (
    <>
      {arranging && (
        <div className={classes.tools}>
          <Select
            label={t`Add an exploration`}
            placeholder={fitting.length > 0 ? t`Choose` : t`None left`}
            description={hidden > 0 ? t`Only shared ones, because the dashboard is shared.` : undefined}
            searchable
            value={null}
            disabled={fitting.length === 0}
            data={fitting.map((e) => ({ value: String(e.id), label: e.name }))}
            onChange={(id) => id && change([...cards, { exploration_id: Number(id), width: "half" }])}
          />
          <AppLink href="/insights/explorer" className={classes.cardLink}>
            {t`Create one in the explorer`}
          </AppLink>
        </div>
      )}
      {cards.length === 0 && (
        <Empty title={t`Nothing on this dashboard yet`}>{arranging ? t`Add a saved exploration above, or create one in the explorer.` : t`Its creator has not added anything yet.`}</Empty>
      )}
      <div className={classes.board}>
        {cards.map((card, i) => {
          const exploration = found(card);
          const name = exploration?.name ?? t`a missing exploration`;
          return (
            <div
              key={`${card.exploration_id} ${cards.slice(0, i).filter((c) => c.exploration_id === card.exploration_id).length}`}
              className={classes.slot}
              data-width={card.width}
              data-card={card.exploration_id}
            >
              {arranging && (
                <div className={classes.slotTools} role="group" aria-label={t`Arrange ${name}`}>
                  <span className={classes.slotName} dir="auto">
                    {name}
                  </span>
                  <MoveButtons
                    what={name}
                    at={i}
                    of={cards.length}
                    move={(to) => {
                      keepFocus();
                      change(moved(cards, i, to));
                    }}
                  />
                  <SegmentedControl
                    size="xs"
                    aria-label={t`Width of ${name}`}
                    value={card.width}
                    onChange={(width) => change(cards.with(i, { ...card, width: width as Card["width"] }))}
                    data={[
                      { value: "half", label: t({ message: "Half", context: "width" }) },
                      { value: "whole", label: t({ message: "Full", context: "width" }) },
                    ]}
                  />
                  <ActionIcon aria-label={t`Remove ${name} from the dashboard`} onClick={() => change(cards.toSpliced(i, 1))}>
                    <IconX size={16} aria-hidden />
                  </ActionIcon>
                </div>
              )}
              {exploration ? (
                <ExplorationCard exploration={exploration} range={range} filters={filters} meta={meta} zone={zone} />
              ) : (
                <section className={classes.card}>
                  <p className={classes.faint}>{t`This exploration was deleted or is not shared with you.`}</p>
                </section>
              )}
            </div>
          );
        })}
      </div>
    </>
  );
}
