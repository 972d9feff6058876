import { ActionIcon, Menu, Text, TextInput, Tooltip } from "@mantine/core";
import {
  IconArrowLeft,
  IconArrowMerge,
  IconArrowsSplit2,
  IconBan,
  IconCircleCheck,
  IconDots,
  IconHash,
  IconInfoCircle,
  IconLink,
  IconMessageCircle,
  IconRestore,
  IconStar,
  IconStarFilled,
  IconZzz,
  type TablerIcon,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { useCustomer } from "../../../data/customers";
import { undoNewest } from "../../../data/history";
import { useMayWrite } from "../../../data/me";
import { usePresence } from "../../../data/presence";
import { type Request, followRequest, useChangeRequest } from "../../../data/requests";
import { didWithUndo } from "../../../data/undo";
import { Keys, useCommands } from "../../../frame/commands";
import { FoldButton } from "../../../parts/Panes";
import { tell, tellProblem } from "../../../tell";
import { dateAndTime, fullTime } from "../../../parts/time";
import { useOnOpen } from "../onOpen";
import { Merge } from "./Merge";
import { Others } from "./Others";
import classes from "./Request.module.css";

type Props = {
  request: Request;
  /** Begins to choose messages that become a request of their own. */
  split: () => void;
  /** Shows the properties where there is no room beside. */
  showDetails: (() => void) | null;
};

/** What it is about, from whom and since when; and what can be done with all of it. */
export function Header({ request, split, showDetails }: Props) {
  const customer = useCustomer(request.customer_id);
  const said = [customer?.name ?? request.author.name ?? request.author_email, request.channel && `#${request.channel.name}`].filter(Boolean);
  return (
    <header className={classes.header}>
      <ActionIcon component={Link} to="/requests" search className={classes.back!} aria-label="Back to the list">
        <IconArrowLeft size={18} aria-hidden />
      </ActionIcon>
      <div className={classes.titles}>
        <Title request={request} />
        <Text size="xs" c="dimmed" truncate>
          {said.map((s, i) => (
            <Fragment key={i}>
              <bdi>{s}</bdi> ·{" "}
            </Fragment>
          ))}
          <Tooltip label={fullTime(request.created_at)}>
            <time dateTime={request.created_at}>opened {dateAndTime(request.created_at)}</time>
          </Tooltip>
        </Text>
      </div>
      <Others others={usePresence(request.id)} />
      <Doing request={request} />
      <Actions request={request} split={split} />
      {showDetails && (
        <ActionIcon aria-label="Properties" onClick={showDetails}>
          <IconInfoCircle size={18} aria-hidden />
        </ActionIcon>
      )}
      <FoldButton name="properties" label="properties" side="end" />
    </header>
  );
}

/** The key and the title; a click on the title changes it. */
function Title({ request }: { request: Request }) {
  const [typed, setTyped] = useState<string | null>(null);
  const change = useChangeRequest();
  const mayChange = useMayWrite() && request.state !== "closed";
  const save = () => {
    const title = typed?.trim() ?? "";
    setTyped(null);
    if (title !== "" && title !== request.title) change.mutate({ id: request.id, change: { title } });
  };
  return (
    <h1 className={classes.title}>
      <span className={classes.key}>{request.key}</span>{" "}
      {typed === null ? (
        mayChange ? (
          <button type="button" className={classes.titleText} dir="auto" title="Edit title" onClick={() => setTyped(request.title)}>
            {request.title}
          </button>
        ) : (
          <span className={classes.titleText} dir="auto">
            {request.title}
          </span>
        )
      ) : (
        <TextInput
          className={classes.titleInput!}
          aria-label="Title"
          autoFocus
          size="xs"
          maxLength={300}
          value={typed}
          onChange={(e) => setTyped(e.currentTarget.value)}
          onBlur={save}
          onKeyDown={(e) => {
            if (e.key === "Enter") save();
            else if (e.key === "Escape") setTyped(null);
          }}
        />
      )}
    </h1>
  );
}

/** What people do most often with a request that is open: the same as its keys. */
function Doing({ request }: Pick<Props, "request">) {
  const client = useQueryClient();
  const mayWrite = useMayWrite();
  const { snooze, solveAndNext } = useOnOpen();
  const follows = request.following ?? false;
  const follow = () => void followRequest(client, request.id, !follows).catch((e: unknown) => tellProblem(e, "Nothing was changed."));
  const unsolved = request.state !== null && request.state !== "solved" && request.state !== "closed";
  return (
    <>
      <Tool label="Follow" keys="shift+f" icon={follows ? IconStarFilled : IconStar} pressed={follows} run={follow} />
      {mayWrite && unsolved && <Tool label="Snooze" keys="h" icon={IconZzz} run={snooze} />}
      {mayWrite && unsolved && <Tool label="Solve and go to the next" keys="shift+e" icon={IconCircleCheck} run={solveAndNext} />}
    </>
  );
}

function Tool({ label, keys, icon: Icon, pressed, run }: { label: string; keys: string; icon: TablerIcon; pressed?: boolean; run: () => void }) {
  return (
    <Tooltip
      label={
        <>
          {label} <Keys keys={keys} />
        </>
      }
    >
      <ActionIcon aria-label={label} aria-pressed={pressed} onClick={run}>
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function Actions({ request, split }: Pick<Props, "request" | "split">) {
  const client = useQueryClient();
  const change = useChangeRequest();
  const mayChange = useMayWrite() && request.state !== "closed";
  const [merging, setMerging] = useState(false);
  const isRequest = request.state !== null;

  const mark = () =>
    change.mutate(
      { id: request.id, change: { not_a_request_state: "temporary" } },
      { onSuccess: () => didWithUndo("Marked as not a request. It becomes one again if the requester writes.", () => void undoNewest(client, request.id, "request.updated")) },
    );
  const unmark = () => change.mutate({ id: request.id, change: { state: "open" } });
  const copy = (text: string, done: string) => void navigator.clipboard.writeText(text).then(() => tell(done), tellProblem);
  const copyKey = () => copy(request.key, `${request.key} copied.`);
  const copyLink = () => copy(`${location.origin}/requests/${request.key}`, "Link copied.");
  useCommands([
    { id: "copy key", label: "Copy key of this request", group: "Request", run: copyKey },
    { id: "copy link", label: "Copy link to this request", group: "Request", run: copyLink },
    ...(mayChange
      ? [
          { id: "merge", label: "Merge other requests into this one", group: "Request", run: () => setMerging(true) },
          { id: "split", label: "Split this request", group: "Request", run: split },
          isRequest ? { id: "not a request", label: "Mark as not a request", group: "Request", run: mark } : { id: "a request", label: "Mark as a request", group: "Request", run: unmark },
        ]
      : []),
  ]);
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon aria-label="More actions">
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayChange && (
            <>
              <Menu.Item leftSection={<IconArrowMerge size={14} aria-hidden />} onClick={() => setMerging(true)} disabled={!isRequest}>
                Merge other requests into this one
              </Menu.Item>
              <Menu.Item leftSection={<IconArrowsSplit2 size={14} aria-hidden />} onClick={split} disabled={(request.messages?.length ?? 0) < 2}>
                Split
              </Menu.Item>
              {isRequest ? (
                <Menu.Item leftSection={<IconBan size={14} aria-hidden />} onClick={mark}>
                  Mark as not a request
                </Menu.Item>
              ) : (
                <Menu.Item leftSection={<IconRestore size={14} aria-hidden />} onClick={unmark}>
                  Mark as a request
                </Menu.Item>
              )}
              <Menu.Divider />
            </>
          )}
          <Menu.Item leftSection={<IconHash size={14} aria-hidden />} onClick={copyKey}>
            Copy key
          </Menu.Item>
          <Menu.Item leftSection={<IconLink size={14} aria-hidden />} onClick={copyLink}>
            Copy link
          </Menu.Item>
          {request.request_thread && (
            <Menu.Item component="a" href={request.request_thread.url} target="_blank" rel="noopener noreferrer" leftSection={<IconMessageCircle size={14} aria-hidden />}>
              Open in chat
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Merge request={request} opened={merging} close={() => setMerging(false)} />
    </>
  );
}
