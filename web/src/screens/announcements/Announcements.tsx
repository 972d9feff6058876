import { t } from "@lingui/core/macro";
import { Button, SegmentedControl, Table, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { type AnnouncementStatus, type ListedAnnouncement, announcementsQuery, useAnnouncementEvents } from "../../data/announcements";
import { useMayWrite } from "../../data/me";
import { useCommands } from "../../frame/commands";
import { NoAnnouncements } from "../../parts/drawings";
import { Empty, Failure, Loading } from "../../parts/states";
import { Ago, dateAndTime } from "../../parts/time";
import classes from "./Announcements.module.css";
import { StatusSign, channels, statusName } from "./status";

const route = getRouteApi("/frame/announcements");

/** What was announced, is being, and will be. */
export function Announcements() {
  const { status } = route.useSearch();
  const navigate = useNavigate();
  const mayWrite = useMayWrite();
  useAnnouncementEvents();
  const list = useInfiniteQuery(announcementsQuery(status));
  const begin = () => void navigate({ to: "/announcements/new" });
  useCommands(mayWrite ? [{ id: "new-announcement", label: t`New announcement`, keys: "c", group: t`Announcements`, run: begin }] : []);
  const all = list.data?.pages.flatMap((p) => p.announcements) ?? [];
  return (
    <div className={classes.page}>
      <div className={classes.top}>
        <Title order={1}>{t`Announcements`}</Title>
        <SegmentedControl
          size="xs"
          aria-label={t`Status`}
          value={status ?? "all"}
          onChange={(v) => void navigate({ to: "/announcements", search: v === "all" ? {} : { status: v as AnnouncementStatus } })}
          data={[
            { value: "all", label: t({ message: "All", context: "announcements" }) },
            { value: "scheduled", label: statusName("scheduled") },
            { value: "pending", label: statusName("pending") },
            { value: "sent", label: statusName("sent") },
          ]}
        />
        {mayWrite && (
          <Button ml="auto" leftSection={<IconPlus size={15} />} onClick={begin}>
            {t`New announcement`}
          </Button>
        )}
      </div>
      {list.isPending ? (
        <Loading shape="table" rows={8} />
      ) : list.isError ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : all.length === 0 ? (
        <Empty
          drawing={<NoAnnouncements />}
          title={status ? t`No announcements with this status` : t`No announcements yet`}
          action={
            !status &&
            mayWrite && (
              <Button variant="default" onClick={begin}>
                {t`New announcement`}
              </Button>
            )
          }
        >
          {t`Write a message here or announce one from your chat. It is posted to the channels of every customer you choose.`}
        </Empty>
      ) : (
        <>
          <Table highlightOnHover className={classes.table}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t`Name`}</Table.Th>
                <Table.Th>{t`Status`}</Table.Th>
                <Table.Th>{t`Delivered`}</Table.Th>
                <Table.Th>{t`Date`}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {all.map((a) => (
                <Row key={a.id} announcement={a} />
              ))}
            </Table.Tbody>
          </Table>
          {list.hasNextPage && (
            <Button variant="default" mt="md" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {t`Show more`}
            </Button>
          )}
        </>
      )}
    </div>
  );
}

function Row({ announcement: a }: { announcement: ListedAnnouncement }) {
  const { channel_count: all, delivered_count: delivered, failed_count: failed } = a;
  return (
    <Table.Tr>
      <Table.Td>
        <Link to="/announcements/$id" params={{ id: String(a.id) }} className={classes.name} dir="auto">
          {a.name}
        </Link>
      </Table.Td>
      <Table.Td>
        <StatusSign status={a.status} />
      </Table.Td>
      <Table.Td>
        {a.status === "scheduled" ? channels(all) : t`${delivered} of ${all}`}
        {failed > 0 && (
          <Text span size="sm" c="var(--bad)">
            {" "}
            · {t`${failed} failed`}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{a.scheduled_time ? dateAndTime(a.scheduled_time) : <Ago at={a.sent_at ?? a.created_at} />}</Table.Td>
    </Table.Tr>
  );
}
