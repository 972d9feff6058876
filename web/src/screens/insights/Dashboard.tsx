import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Select, Skeleton } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { collectionsQuery } from "../../data/collections";
import { customersQuery } from "../../data/customers";
import { type Row, full, insightsMetaQuery, insightsQuery, measured, numberOf, rowsByDay } from "../../data/insights";
import { useIsAdmin, useMe } from "../../data/me";
import { useCommands } from "../../frame/commands";
import { AppLink } from "../../parts/AppLink";
import { NoInsights } from "../../parts/drawings";
import { Empty, Failure, Loading } from "../../parts/states";
import { tell, tellProblem } from "../../tell";
import { copyPlan } from "./board";
import { Breakdown } from "./Breakdown";
import { Figure } from "./Figure";
import classes from "./Insights.module.css";
import { OverTime } from "./OverTime";
import { RangePicker } from "./RangePicker";
import { type Of, priorities } from "./behind";
import { type DashboardPlan, type DashboardSearch, dashboardQueries, dashboards } from "./dashboards";
import { inWords } from "./format";
import { daysIn } from "../../parts/days";
import { buckets, periodName } from "./period";

const route = getRouteApi("/frame/insights/$dashboard");

export function Dashboard() {
  const { dashboard } = route.useParams();
  const search = route.useSearch();
  const zone = useMe()?.account.time_zone;
  const plan = dashboards.find((d) => d.name === dashboard);
  if (!plan || !zone) return <Loading />;
  return <Shown key={plan.name} plan={plan} search={search} zone={zone} />;
}

function Shown({ plan, search, zone }: { plan: DashboardPlan; search: DashboardSearch; zone: string }) {
  const navigate = useNavigate();
  const q = dashboardQueries(plan, search, zone);
  const meta = useQuery(insightsMetaQuery).data;
  const whole = useQuery({ ...insightsQuery(q.whole), placeholderData: keepPreviousData });
  const was = useQuery({ ...insightsQuery(q.before), placeholderData: keepPreviousData });
  const series = useQuery({ ...insightsQuery(q.series), placeholderData: keepPreviousData });
  const breakdowns = useQueries({ queries: q.breakdowns.map((b) => ({ ...insightsQuery(b), placeholderData: keepPreviousData })) });
  const client = useQueryClient();
  const copy = useMutation({
    mutationFn: () => copyPlan(client, plan, search),
    onSuccess: (made) => {
      const { name } = made;
      tell(t`You can now edit “${name}”.`);
      void navigate({ to: "/insights/dashboards/$id", params: { id: String(made.id) } });
    },
    onError: (e) => tellProblem(e, t`Nothing was copied.`),
  });
  const name = i18n._(plan.label);
  useCommands([{ id: "dashboard.copy", label: t`Copy and edit the dashboard “${name}”`, group: t`Insights`, run: () => copy.mutate() }]);
  const change = (part: DashboardSearch) => void navigate({ to: "/insights/$dashboard", params: { dashboard: plan.name }, search: { ...search, ...part }, replace: true });
  const of = (part: Partial<Of>): Of => ({ measure: "count", time: "created_at", period: q.period, zone, groups: [], filters: q.filters, ...part });

  const period = periodName(q.period);
  const days = daysIn(q.period);
  const trendOf = (rows: Row[], measure: string) => {
    const byDay = rowsByDay(rows, "created_at", q.granularity);
    const unit = meta?.measures.find((m) => m.name === full(measure))?.unit;
    return buckets(q.period, q.granularity).map((day) => measured(byDay.get(day), measure, unit));
  };
  const row = whole.data?.[0];
  const nothing = row !== undefined && plan.needs.every((m) => !numberOf(row, m));
  const failed = [whole, was, series, ...breakdowns].find((x) => x.isError);
  return (
    <>
      <div className={classes.tools}>
        <RangePicker range={search.range} period={q.period} change={(range) => change({ range })} />
        <Narrow search={search} change={change} />
        <Button variant="default" leftSection={<IconCopy size={14} aria-hidden />} loading={copy.isPending} onClick={() => copy.mutate()}>
          <Trans>Copy and edit</Trans>
        </Button>
      </div>
      {failed ? (
        <Failure error={failed.error} retry={() => void failed.refetch()} />
      ) : nothing ? (
        <Nothing plan={plan} narrowed={q.filters.length > 0} widen={() => change({ range: "12m", collection_id: undefined, customer_id: undefined, priority: undefined })} />
      ) : (
        <>
          <p className={classes.period}>{t`Requests received ${period}, compared with the previous ${plural(days, { one: "day", other: "# days" })}.`}</p>
          <div className={classes.figures} aria-busy={whole.isPending}>
            {plan.figures.map((f) =>
              row && meta ? (
                <Figure
                  key={f.measure}
                  title={i18n._(f.label)}
                  measure={meta.measures.find((m) => m.name === full(f.measure))}
                  value={numberOf(row, f.measure)}
                  was={was.data && numberOf(was.data[0], f.measure)}
                  trend={trendOf(series.data ?? [], f.measure)}
                  better={f.better}
                  of={of({ measure: f.measure })}
                />
              ) : (
                <Skeleton key={f.measure} height={112} />
              ),
            )}
          </div>
          <div className={classes.wide}>
            {plan.charts.map((c) =>
              series.data ? (
                <OverTime
                  key={c.measures[0]?.measure}
                  title={i18n._(c.title)}
                  kind={c.kind}
                  measures={c.measures}
                  rows={series.data}
                  meta={meta}
                  period={q.period}
                  granularity={q.granularity}
                  of={of}
                />
              ) : (
                <Skeleton key={c.measures[0]?.measure} height={310} />
              ),
            )}
          </div>
          <div className={classes.cards}>
            {plan.breakdowns.map((b, i) => {
              const rows = breakdowns[i]?.data;
              return rows ? (
                <Breakdown key={b.dimension} title={i18n._(b.title)} dimension={b.dimension} measures={b.measures} rows={rows} meta={meta} of={of} />
              ) : (
                <Skeleton key={b.dimension} height={240} />
              );
            })}
          </div>
        </>
      )}
    </>
  );
}

/** Of which requests. */
export function Narrow({ search, change }: { search: DashboardSearch; change: (part: DashboardSearch) => void }) {
  const collections = useQuery(collectionsQuery).data ?? [];
  const customers = useQuery(customersQuery).data ?? [];
  const pick = (name: "collection_id" | "customer_id" | "priority", label: string, all: string, data: { value: string; label: string }[]) => (
    <Select label={label} placeholder={all} clearable searchable data={data} value={search[name] ?? null} onChange={(v) => change({ [name]: v ?? undefined })} />
  );
  return (
    <>
      {pick(
        "collection_id",
        t`Collection`,
        t`All collections`,
        collections.map((c) => ({ value: String(c.id), label: c.name })),
      )}
      {pick(
        "customer_id",
        t`Customer`,
        t`All customers`,
        customers.map((c) => ({ value: String(c.id), label: c.name })),
      )}
      {pick(
        "priority",
        t`Priority`,
        t`Any priority`,
        priorities.map((p) => ({ value: p, label: inWords(p) })),
      )}
    </>
  );
}

/** Why there are no numbers, and where they would come from. */
function Nothing({ plan, narrowed, widen }: { plan: DashboardPlan; narrowed: boolean; widen: () => void }) {
  const admin = useIsAdmin();
  const wider = (
    <Button variant="default" onClick={widen}>
      {narrowed ? t`Show the last 12 months, without filters` : t`Show the last 12 months`}
    </Button>
  );
  const said: Record<DashboardPlan["name"], { title: string; text: string; way?: ReactNode }> = {
    volume: { title: t`No requests in this period`, text: t`Choose a longer period or remove filters.` },
    speed: { title: t`No requests in this period`, text: t`Choose a longer period or remove filters.` },
    sla: {
      title: t`No SLA applied in this period`,
      text: admin
        ? t`An SLA policy sets how soon a request must be answered or resolved. Once you have one, this page shows how well it is met.`
        : t`An SLA policy sets how soon a request must be answered or resolved. Admins create them in Settings.`,
      ...(admin && {
        way: (
          <Anchor component={AppLink} href="/settings/sla">
            <Trans>Create an SLA policy</Trans>
          </Anchor>
        ),
      }),
    },
    satisfaction: {
      title: t`No surveys sent in this period`,
      text: admin
        ? t`A survey asks the requester how it went. Each collection has its own survey settings.`
        : t`A survey asks the requester how it went. Admins turn them on in a collection’s settings.`,
      ...(admin && {
        way: (
          <Anchor component={AppLink} href="/settings/collections">
            <Trans>Turn on surveys in a collection</Trans>
          </Anchor>
        ),
      }),
    },
  };
  const { title, text, way } = said[plan.name];
  return (
    <Empty drawing={<NoInsights />} title={title} action={wider}>
      <p>{text}</p>
      {way && <p>{way}</p>}
    </Empty>
  );
}
