import { t } from "@lingui/core/macro";
import { ActionIcon, Alert, Button, Drawer, Group, Text, UnstyledButton } from "@mantine/core";
import { IconBell, IconBellOff, IconCheck, IconChecks, IconSettings } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import {
  type Notification,
  addressOf,
  canAlert,
  followNotifications,
  markNotifications,
  notificationCountQuery,
  notificationsQuery,
  readAllNotifications,
  setAlerts,
  wordsOf,
} from "../data/notifications";
import { prefer, preferencesQuery, usePreferences } from "../data/preferences";
import { AppLink } from "../parts/AppLink";
import { Empty, Failure, Loading } from "../parts/states";
import { Ago } from "../parts/time";
import { Tip } from "../parts/Tip";
import { tellProblem } from "../tell";
import classes from "./Bell.module.css";
import { Keys, useCommands } from "./commands";
import { markTab } from "./tab";

/** How many are unread, in the room that there is. */
const short = (n: number) => (n > 99 ? "99+" : String(n));

/** What one is told: the bell with what is unread, and the panel that it opens. */
export function Bell({ place }: { place: string }) {
  const [open, setOpen] = useState(false);
  const router = useRouter();
  const unread = useQuery(notificationCountQuery).data?.unread ?? 0;
  useQuery(preferencesQuery); // which are drawn from their copy here until then
  useEffect(() => followNotifications((address) => router.history.push(address)), [router]);
  useEffect(() => markTab(unread), [unread]);
  useCommands([{ id: "notifications", label: t`Notifications`, keys: "g n", group: t`Go to`, opens: true, run: () => setOpen(true) }]);
  const count = short(unread);
  const label = unread === 0 ? t`Notifications` : t`Notifications: ${count} unread`;
  return (
    <>
      <Tip
        position="right"
        label={
          <>
            {t`Notifications`} <Keys keys="g n" />
          </>
        }
      >
        <UnstyledButton className={`${place} ${classes.bell}`} aria-label={label} aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(true)}>
          <IconBell size={20} stroke={1.7} aria-hidden />
          {unread > 0 && (
            <span className={classes.count} aria-hidden>
              {count}
            </span>
          )}
        </UnstyledButton>
      </Tip>
      <Drawer
        opened={open}
        onClose={() => setOpen(false)}
        title={t`Notifications`}
        size={420}
        padding={0}
        classNames={{ header: classes.header, body: classes.body }}
        closeButtonProps={{ "aria-label": t({ message: "Close", context: "command" }) }}
      >
        <Panel close={() => setOpen(false)} />
      </Drawer>
    </>
  );
}

/** Those of one request stand together, where the newest of them stands. */
function byRequest(all: Notification[]): Notification[][] {
  return [...Map.groupBy(all, (n) => n.request.id).values()];
}

function Panel({ close }: { close: () => void }) {
  const navigate = useNavigate();
  const list = useInfiniteQuery(notificationsQuery);
  const all = list.data?.pages.flatMap((p) => p.notifications) ?? [];
  const unread = all.some((n) => n.read_at === null);
  const settings = () => {
    close();
    void navigate({ to: "/settings/$page", params: { page: "notifications" } });
  };
  return (
    <>
      <Group className={classes.actions} justify="space-between">
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconChecks size={16} aria-hidden />}
          disabled={!unread}
          onClick={() => void readAllNotifications(Math.max(...all.map((n) => n.id))).catch((e: unknown) => tellProblem(e))}
        >
          {t`Mark all as read`}
        </Button>
        <ActionIcon aria-label={t`Notification settings`} onClick={settings}>
          <IconSettings size={18} aria-hidden />
        </ActionIcon>
      </Group>
      <Ask opened={all.some((n) => n.read_at !== null)} />
      {list.isPending && <Loading />}
      {list.isError && all.length === 0 && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && all.length === 0 && (
        <Empty icon={IconBellOff} title={t`Nothing yet`}>
          {t`Mentions, requests assigned to you, answers to your requests and SLAs that are due show up here.`}
        </Empty>
      )}
      {all.length > 0 && (
        <ul className={classes.list} aria-label={t`Notifications`}>
          {byRequest(all).map((group) => (
            <OfRequest key={group[0]!.request.id} group={group} close={close} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Group justify="center" p="md">
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t`Show more`}
          </Button>
        </Group>
      )}
    </>
  );
}

/** What one was told of one request, the newest first. */
function OfRequest({ group, close }: { group: Notification[]; close: () => void }) {
  const unread = group.filter((n) => n.read_at === null).map((n) => n.id);
  const read = () => {
    if (unread.length > 0) void markNotifications(unread, true).catch((e: unknown) => tellProblem(e));
  };
  return (
    <li className={classes.group} {...(unread.length > 0 && { "data-unread": true })}>
      <div className={classes.title}>
        <Text fw={unread.length > 0 ? 600 : 450} truncate dir="auto">
          {group[0]!.request.title}
        </Text>
        {unread.length > 0 && (
          <ActionIcon size="sm" aria-label={t`Mark as read`} onClick={read}>
            <IconCheck size={16} aria-hidden />
          </ActionIcon>
        )}
      </div>
      {group.map((n) => (
        <AppLink
          key={n.id}
          href={addressOf(n)}
          className={classes.one}
          onClick={() => {
            read();
            close();
          }}
        >
          <span className={classes.words}>
            {n.read_at === null && <span className={classes.dot} role="img" aria-label={t`Unread`} />}
            <span dir="auto">{wordsOf(n)}</span>
            <Text span size="xs" c="dimmed" className={classes.when}>
              <Ago at={n.created_at} />
            </Text>
          </span>
          {n.excerpt && (
            <Text span size="sm" c="dimmed" lineClamp={2} dir="auto">
              {n.excerpt}
            </Text>
          )}
        </AppLink>
      ))}
    </li>
  );
}

/** Offers notifications of the browser, once somebody knows what they would be told. */
function Ask({ opened }: { opened: boolean }) {
  const { alerts, folded } = usePreferences();
  const [refused, setRefused] = useState(false);
  if (!canAlert() || alerts || folded["ask-alerts"] || !opened || window.Notification.permission === "denied") return null;
  const no = () => prefer({ folded: { ...folded, "ask-alerts": true } });
  return (
    <Alert m="sm" variant="light" title={t`Turn on browser notifications?`}>
      <Text size="sm">{t`This browser can notify you while you work in another tab or app.`}</Text>
      {refused && (
        <Text size="sm" role="alert">
          {t`Your browser blocks notifications. Allow them in its settings for this site.`}
        </Text>
      )}
      <Group mt="xs" gap="xs">
        <Button size="compact-sm" onClick={() => void setAlerts(true).then((on) => setRefused(!on))}>
          {t({ message: "Turn on", context: "notifications" })}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={no}>
          {t`No, thanks`}
        </Button>
      </Group>
    </Alert>
  );
}
