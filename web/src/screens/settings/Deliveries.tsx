import { plural, t } from "@lingui/core/macro";
import { Button, Group, Select, Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type Delivery, type DeliveryStatus, type Webhook, deliveriesQuery, testWebhook, webhookQuery } from "../../data/webhooks";
import { Failure, Loading } from "../../parts/states";
import { tellProblem } from "../../tell";
import { Ago, dateAndTime } from "../../parts/time";
import { DeliveryDetail } from "./DeliveryDetail";
import classes from "./Deliveries.module.css";
import { ReplayTime } from "./ReplayTime";
import { Word } from "./Word";

const route = getRouteApi("/frame/settings/webhooks/$id");

const looks = (): Record<DeliveryStatus, { word: string; tone: "good" | "warn" | "bad"; none: string }> => ({
  waiting: { word: t({ message: "Waiting", context: "delivery" }), tone: "warn", none: t`No deliveries are waiting.` },
  delivered: { word: t({ message: "Delivered", context: "delivery" }), tone: "good", none: t`Nothing has been delivered yet.` },
  failed: { word: t({ message: "Failed", context: "delivery" }), tone: "bad", none: t`No deliveries have failed.` },
});

const isStatus = (name: string | undefined): name is DeliveryStatus => name === "waiting" || name === "delivered" || name === "failed";

/** The log of a webhook, the newest first, and what can be sent once more. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const status = isStatus(search.status) ? search.status : undefined;
  const log = useInfiniteQuery(deliveriesQuery(webhook.id, status));
  const [replaying, setReplaying] = useState(false);
  const test = useMutation({ mutationFn: () => testWebhook(webhook.id), onError: (e) => tellProblem(e) });
  const deliveries = log.data?.pages.flatMap((p) => p.deliveries) ?? [];
  const open = Number(search.delivery);
  const show = (id: number) => void navigate({ search: (s) => ({ ...s, delivery: id === open ? undefined : String(id) }), replace: true });

  // Whether the webhook fails follows from how its deliveries went.
  const went = deliveries.map((d) => `${d.id}${d.status}${d.tries}`).join();
  useEffect(() => void client.invalidateQueries({ queryKey: webhookQuery(webhook.id).queryKey }), [client, webhook.id, went]);

  return (
    <>
      <Group justify="space-between">
        <Select
          aria-label={t`Status`}
          w={140}
          allowDeselect={false}
          data={[{ value: "all", label: t({ message: "All", context: "deliveries" }) }, ...Object.entries(looks()).map(([value, { word }]) => ({ value, label: word }))]}
          value={status ?? "all"}
          onChange={(v) => void navigate({ search: { status: v === "all" || v === null ? undefined : v }, replace: true })}
        />
        <Group gap="xs">
          <Button variant="default" onClick={() => setReplaying(true)} disabled={!webhook.enabled}>
            {t`Replay events`}
          </Button>
          <Button loading={test.isPending} onClick={() => test.mutate()} disabled={!webhook.enabled}>
            {t`Send test`}
          </Button>
        </Group>
      </Group>
      {log.isPending && <Loading shape="rows" rows={4} />}
      {log.isError && <Failure error={log.error} retry={() => void log.refetch()} />}
      {log.data && deliveries.length === 0 && <Text c="dimmed">{status ? looks()[status].none : t`No deliveries yet. Send a test to check that it arrives.`}</Text>}
      {deliveries.length > 0 && (
        <ul className={classes.log} aria-label={t`Deliveries`}>
          {deliveries.map((d) => (
            <li key={d.id} className={classes.delivery}>
              <Line delivery={d} open={d.id === open} toggle={() => show(d.id)} />
              {d.id === open && <DeliveryDetail webhook={webhook} id={d.id} version={`${d.status}${d.tries}`} />}
            </li>
          ))}
        </ul>
      )}
      {log.hasNextPage && (
        <Button variant="default" w="fit-content" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {t`Show more`}
        </Button>
      )}
      <ReplayTime webhook={webhook} opened={replaying} close={() => setReplaying(false)} />
    </>
  );
}

function Line({ delivery: d, open, toggle }: { delivery: Delivery; open: boolean; toggle: () => void }) {
  const { word, tone } = looks()[d.status];
  const { tries } = d;
  const next = d.next_try_at && dateAndTime(d.next_try_at);
  const Chevron = open ? IconChevronDown : IconChevronRight;
  return (
    <UnstyledButton className={classes.line} onClick={toggle} aria-expanded={open}>
      <Chevron size={14} aria-hidden color="var(--faint)" />
      <span className={classes.what}>
        <Text span ff="monospace" size="sm">
          {d.event_type}
        </Text>
        {d.cause !== "event" && (
          <Text span c="dimmed" size="sm">
            {" "}
            {d.cause === "test" ? t({ message: "test", context: "delivery" }) : t({ message: "replay", context: "delivery" })}
          </Text>
        )}
        {d.status !== "delivered" && d.last_error && (
          <Text span display="block" size="sm" c="var(--bad)">
            {d.last_error.charAt(0).toUpperCase() + d.last_error.slice(1)}
          </Text>
        )}
        {d.status === "waiting" && d.tries > 0 && next && (
          <Text span display="block" size="sm" c="dimmed">
            {t`Tried ${plural(tries, { one: "# time", other: "# times" })}, next attempt at ${next}`}
          </Text>
        )}
      </span>
      {d.last_status !== null && (
        <Text span size="sm" c="dimmed">
          {d.last_status}
        </Text>
      )}
      <Word tone={tone}>{word}</Word>
      <Text span size="sm" c="dimmed" w={56} ta="end">
        <Ago at={d.created_at} />
      </Text>
    </UnstyledButton>
  );
}
