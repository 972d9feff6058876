import { t } from "@lingui/core/macro";
import { Button, Group, Switch, Text } from "@mantine/core";
import { IconClockCheck, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useIsAdmin } from "../../../data/me";
import { type SLAKind, type SLAPolicy, changePolicy, orderPolicies, policiesQuery } from "../../../data/slaPolicies";
import { MoveButtons, moved, useKeepFocus } from "../../../parts/Order";
import { Empty, Failure, Loading } from "../../../parts/states";
import { tellProblem } from "../../../tell";
import { Section, SettingsColumn } from "../Column";
import { Row, Rows } from "../Rows";
import { EditPolicy } from "./EditPolicy";
import { Recomputation } from "./Recomputation";
import { useNames } from "./useNames";
import { kinds, promiseInWords } from "./words";

const route = getRouteApi("/frame/settings/$page");

/** The SLA policies by kind, in the order in which they are matched. */
export function Policies() {
  const policies = useQuery(policiesQuery);
  const isAdmin = useIsAdmin();
  const navigate = useNavigate();
  const { policy } = route.useSearch();
  const open = (policy?: string) => void navigate({ to: "/settings/$page", params: { page: "sla" }, search: policy ? { policy } : {} });
  const opened = policies.data?.find((p) => String(p.id) === policy);
  const make = isAdmin && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open("new")}>
      {t`New policy`}
    </Button>
  );
  return (
    <SettingsColumn title={t`SLA policies`} about={t`For each type, the first policy that matches a new request applies and stays with it.`} action={make}>
      <Recomputation />
      {policies.isPending && <Loading shape="rows" rows={4} />}
      {policies.isError && <Failure error={policies.error} retry={() => void policies.refetch()} />}
      {policies.data?.length === 0 && (
        <Empty icon={IconClockCheck} title={t`No SLA policies yet`} action={make}>
          {isAdmin ? t`Start with how soon requesters get a first response.` : t`An admin can create one.`}
        </Empty>
      )}
      {(Object.keys(kinds()) as SLAKind[]).map((kind) => {
        const of = policies.data?.filter((p) => p.kind === kind) ?? [];
        return of.length > 0 && <Kind key={kind} kind={kind} policies={of} edit={(p) => open(String(p.id))} />;
      })}
      {isAdmin && policies.data && <EditPolicy opened={policy === "new" || opened !== undefined} policy={opened ?? null} close={() => open()} />}
    </SettingsColumn>
  );
}

function Kind({ kind, policies, edit }: { kind: SLAKind; policies: SLAPolicy[]; edit: (p: SLAPolicy) => void }) {
  const isAdmin = useIsAdmin();
  const names = useNames();
  const keepFocus = useKeepFocus();
  const { label, about } = kinds()[kind];
  const move = async (from: number, to: number) => {
    keepFocus();
    try {
      await orderPolicies(moved(policies, from, to));
    } catch (e) {
      tellProblem(e, t`The list shows the saved order.`); // several may have to move, and some may have
    }
  };
  return (
    <Section title={label} about={about}>
      <Rows label={label}>
        {policies.map((p, i) => (
          <Row
            key={p.id}
            action={
              isAdmin ? (
                <>
                  <OnSwitch policy={p} />
                  <Group gap={0} wrap="nowrap">
                    <MoveButtons what={p.name} at={i} of={policies.length} move={(to) => void move(i, to)} />
                  </Group>
                  <EditButton name={p.name} edit={() => edit(p)} />
                </>
              ) : (
                !p.enabled && <Text c="dimmed">{t`Off`}</Text>
              )
            }
          >
            <Text fw={550}>{p.name}</Text>
            <Text size="sm" c={p.enabled ? "var(--text)" : "dimmed"}>
              {promiseInWords(p, names)}
            </Text>
          </Row>
        ))}
      </Rows>
    </Section>
  );
}

function EditButton({ name, edit }: { name: string; edit: () => void }) {
  return (
    <Button variant="default" aria-label={t`Edit ${name}`} onClick={edit}>
      {t`Edit`}
    </Button>
  );
}

/** Turns a policy on and off. */
function OnSwitch({ policy }: { policy: SLAPolicy }) {
  const { name } = policy;
  const [drawn, setDrawn] = useState<boolean | null>(null);
  const set = async (enabled: boolean) => {
    setDrawn(enabled);
    try {
      await changePolicy(policy.id, { enabled });
    } catch (e) {
      tellProblem(e, t`Nothing was changed.`);
    }
    setDrawn(null);
  };
  return <Switch aria-label={t`${name} is on`} checked={drawn ?? policy.enabled} onChange={(e) => void set(e.currentTarget.checked)} />;
}
