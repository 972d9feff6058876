import { t } from "@lingui/core/macro";
import { Button, Drawer } from "@mantine/core";
import { IconFileUnknown, IconLockAccess } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Problem } from "../../api/client";
import { type Event, follow } from "../../data/live";
import { useMayWrite, useMe } from "../../data/me";
import { type Request as RequestData, nameOf, requestQuery, useNamedRequest } from "../../data/requests";
import { Split, useIsPhone } from "../../parts/Panes";
import { Empty, Failure } from "../../parts/states";
import { tell } from "../../tell";
import { Composer } from "./request/Composer";
import { Conversation } from "./request/Conversation";
import { Header } from "./request/Header";
import { Panel } from "./request/Panel";
import { SnoozeBanner } from "./request/SnoozeBanner";
import { useNoComposer } from "./request/composers";
import classes from "./request/Request.module.css";
import { SplitBar, useSplitting } from "./request/SplitBar";
import { Summary } from "./request/Summary";
import { PanelSkeleton, RequestSkeleton } from "./skeletons";

/** One request: what was said, where to answer, and everything that is known of it. */
export function Request() {
  const { id: name = "" } = useParams({ strict: false });
  const { id, error, searching, retry } = useNamedRequest(name);
  if (id !== null) return <Opened key={id} id={id} name={name} />;
  if (searching) return <RequestSkeleton id={null} />;
  if (error && !(error instanceof Problem && error.status === 404)) return <Failure error={error} retry={retry} />;
  return <NoSuch />;
}

function Opened({ id, name }: { id: number; name: string }) {
  const { data: request, error, refetch } = useQuery(requestQuery(id));
  useOneName(request, name);
  useLive(id);
  useNoComposer(id, error !== null && request === undefined);
  if (request?.merged_into !== undefined) return <LeadOn request={request} to={request.merged_into} />;
  if (request) return <Shown request={request} />;
  if (error instanceof Problem && (error.status === 404 || error.status === 400)) return <NoSuch />;
  if (error instanceof Problem && error.status === 403)
    return (
      <Empty icon={IconLockAccess} title={t`You do not have access to this request`} action={<ToInbox />}>
        {t`It is in a collection that you cannot see. Ask an admin for access.`}
      </Empty>
    );
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  return (
    <Split {...properties()} pane={<PanelSkeleton />}>
      <RequestSkeleton id={id} />
    </Split>
  );
}

/** The pane beside the conversation. */
const properties = () => ({ name: "properties", label: t`Properties`, side: "end", usual: 300, least: 240, most: 480, phone: "rest" }) as const;

function Shown({ request }: { request: RequestData }) {
  const phone = useIsPhone();
  const known = useMe() !== null;
  const mayWrite = useMayWrite();
  const splitting = useSplitting(request);
  const [details, setDetails] = useState(false);
  const closed = request.state === "closed";
  useNoComposer(request.id, splitting.choosing !== null || closed || (known && !mayWrite));
  return (
    <Split {...properties()} pane={<Panel request={request} />}>
      <div className={classes.request}>
        <Header request={request} split={splitting.start} showDetails={phone ? () => setDetails(true) : null} />
        <SnoozeBanner request={request} />
        <Summary request={request} />
        <Conversation request={request} choosing={splitting.choosing} />
        {splitting.choosing ? (
          <SplitBar splitting={splitting} request={request} />
        ) : closed ? (
          <p className={classes.closed}>{t`This request is closed and cannot be changed. If the requester writes again, a new request is created.`}</p>
        ) : mayWrite ? (
          <Composer request={request} />
        ) : (
          known && <p className={classes.closed}>{t`You have read-only access. Ask an admin if you need to reply.`}</p>
        )}
        {phone && (
          <Drawer opened={details} onClose={() => setDetails(false)} position="right" title={t`Properties`} size="100%" padding="md" styles={{ body: { padding: 0 } }}>
            <Panel request={request} />
          </Drawer>
        )}
      </div>
    </Split>
  );
}

/**
 * Gives a request one address, whatever led to it: an id from before there were keys, the key of a further ticket, or small
 * letters. The request is shown all the while.
 */
function useOneName(request: RequestData | undefined, name: string) {
  const navigate = useNavigate();
  const key = request?.merged_into === undefined ? request?.key : undefined;
  useEffect(() => {
    if (key !== undefined && key !== name) void navigate({ to: "/requests/$id", params: { id: key }, search: true, hash: true, replace: true });
  }, [navigate, key, name]);
}

/** Reads the request again when something of it has changed. */
function useLive(id: number) {
  const client = useQueryClient();
  useEffect(
    () =>
      follow((events) => {
        if (!events.some((e) => concerns(e, id))) return;
        for (const queryKey of [
          ["request", id],
          ["sla", id],
          ["history", id],
          ["waiting", id],
          ["participants", id],
        ])
          void client.invalidateQueries({ queryKey });
      }),
    [client, id],
  );
}

function concerns(event: Event, id: number): boolean {
  const data = event.data as { request?: { id?: number }; message?: { request_id?: number }; ticket?: { request_id?: number }; survey?: { request_id?: number } };
  return data.request?.id === id || data.message?.request_id === id || data.ticket?.request_id === id || data.survey?.request_id === id;
}

function NoSuch() {
  return (
    <Empty icon={IconFileUnknown} title={t`Request not found`} action={<ToInbox />}>
      {t`The link may be incomplete, or the request belongs to another account.`}
    </Empty>
  );
}

function ToInbox() {
  return (
    <Button component={Link} to="/requests" variant="default">
      {t`Go to inbox`}
    </Button>
  );
}

/** Leads to the request that this one was merged into. */
function LeadOn({ request, to }: { request: RequestData; to: number }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => {
    const { key } = request;
    tell(t`${key} was merged into this request.`);
    void navigate({ to: "/requests/$id", params: { id: nameOf(client, to) }, search: true, replace: true });
  }, [client, navigate, request, to]);
  return <RequestSkeleton id={to} />;
}
