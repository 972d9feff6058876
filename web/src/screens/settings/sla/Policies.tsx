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
      New policy
    </Button>
  );
  return (
    <SettingsColumn title="SLA policies" about="For each type, the first policy that matches a new request applies and stays with it." action={make}>
      <Recomputation />
      {policies.isPending && <Loading shape="rows" rows={4} />}
      {policies.isError && <Failure error={policies.error} retry={() => void policies.refetch()} />}
      {policies.data?.length === 0 && (
        <Empty icon={IconClockCheck} title="No SLA policies yet" action={make}>
          {isAdmin ? "Start with how soon requesters get a first response." : "An admin can create one."}
        </Empty>
      )}
      {(Object.keys(kinds) as SLAKind[]).map((kind) => {
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
  const move = async (from: number, to: number) => {
    keepFocus();
    try {
      await orderPolicies(moved(policies, from, to));
    } catch (e) {
      tellProblem(e, "The list shows the saved order."); // several may have to move, and some may have
    }
  };
  return (
    <Section title={kinds[kind].label} about={kinds[kind].about}>
      <Rows label={kinds[kind].label}>
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
                  <Button variant="default" aria-label={`Edit ${p.name}`} onClick={() => edit(p)}>
                    Edit
                  </Button>
                </>
              ) : (
                !p.enabled && <Text c="dimmed">Off</Text>
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

/** Turns a policy on and off. */
function OnSwitch({ policy }: { policy: SLAPolicy }) {
  const [drawn, setDrawn] = useState<boolean | null>(null);
  const set = async (enabled: boolean) => {
    setDrawn(enabled);
    try {
      await changePolicy(policy.id, { enabled });
    } catch (e) {
      tellProblem(e, "Nothing was changed.");
    }
    setDrawn(null);
  };
  return <Switch aria-label={`${policy.name} is on`} checked={drawn ?? policy.enabled} onChange={(e) => void set(e.currentTarget.checked)} />;
}
