import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Menu, Text } from "@mantine/core";
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
  IconUserPlus,
  IconZzz,
  type TablerIcon,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { useCustomer } from "../../../data/customers";
import { undoNewest } from "../../../data/history";
import { useMayWrite, useMe } from "../../../data/me";
import { usePresence } from "../../../data/presence";
import { type Request, followRequest, useChangeRequest } from "../../../data/requests";
import { didWithUndo } from "../../../data/undo";
import { Keys, useCommands } from "../../../frame/commands";
import { choiceAt } from "../../../parts/Choice";
import { FoldButton } from "../../../parts/Panes";
import { Tip } from "../../../parts/Tip";
import { tell, tellProblem } from "../../../tell";
import { dateAndTime, fullTime } from "../../../parts/time";
import { useOnOpen } from "../onOpen";
import { Merge } from "./Merge";
import { Others } from "./Others";
import classes from "./Request.module.css";
import { SummariseButton } from "./Summary";
import { Title } from "./Title";

type Props = {
  request: Request;
  /** Begins to choose messages that become a request of their own. */
  split: () => void;
  /** Shows the properties where there is no room beside. */
  showDetails: (() => void) | null;
};

/** What it is about and what can be done with it; below, from whom and since when. */
export function Header({ request, split, showDetails }: Props) {
  const customer = useCustomer(request.customer_id);
  const said = [customer?.name ?? request.author.name ?? request.author_email, request.channel && `#${request.channel.name}`].filter(Boolean);
  const opened = dateAndTime(request.created_at);
  return (
    <header className={classes.header} {...choiceAt("request")}>
      <div className={classes.headLine}>
        <ActionIcon component={Link} to="/requests" search className={classes.back!} aria-label={t`Back to the list`}>
          <IconArrowLeft size={18} aria-hidden />
        </ActionIcon>
        <Title request={request} />
        <Others others={usePresence(request.id)} />
        {showDetails && (
          <ActionIcon aria-label={t`Properties`} onClick={showDetails}>
            <IconInfoCircle size={18} aria-hidden />
          </ActionIcon>
        )}
        <FoldButton name="properties" label={t`properties`} side="end" />
      </div>
      <div className={classes.headLine}>
        <Text size="xs" c="dimmed" truncate className={classes.about!}>
          {said.map((s, i) => (
            <Fragment key={i}>
              <bdi>{s}</bdi> ·{" "}
            </Fragment>
          ))}
          <Tip label={fullTime(request.created_at)}>
            <time dateTime={request.created_at}>{t`opened ${opened}`}</time>
          </Tip>
        </Text>
        <Doing request={request} />
        <SummariseButton request={request} />
        <Actions request={request} split={split} />
      </div>
    </header>
  );
}

/** What people do most often with a request: the same as its keys. */
function Doing({ request }: Pick<Props, "request">) {
  const me = useMe()?.user ?? null;
  const mayWrite = useMayWrite();
  const { choose, assignToMe, solve, reopen } = useOnOpen();
  const { state } = request;
  if (!mayWrite || state === null || state === "closed") return null;
  const solved = state === "solved";
  return (
    <div className={classes.doing}>
      {!solved && me !== null && request.assignee?.id !== me.id && <Tool label={t`Assign to me`} keys="i" icon={IconUserPlus} run={assignToMe} />}
      {!solved && <Tool label={t({ message: "Snooze", context: "verb" })} keys="h" icon={IconZzz} run={() => choose("snooze")} choice="snooze" />}
      {solved ? <Tool label={t`Reopen`} icon={IconRestore} run={reopen} /> : <Tool label={t`Solve`} keys="e" icon={IconCircleCheck} run={solve} main />}
    </div>
  );
}

type ToolProps = { label: string; keys?: string; icon: TablerIcon; run: () => void; main?: boolean; choice?: string };

/** A button with its key. Where there is little room, the sign alone. */
function Tool({ label, keys, icon: Icon, run, main, choice }: ToolProps) {
  return (
    <Button
      size="compact-sm"
      variant={main ? "light" : "subtle"}
      color={main ? "accent" : "gray"}
      className={classes.tool!}
      title={label}
      leftSection={<Icon size={15} aria-hidden />}
      rightSection={keys && <Keys keys={keys} />}
      {...(choice && choiceAt(choice))}
      onClick={run}
    >
      <span className={classes.toolName}>{label}</span>
    </Button>
  );
}

function Actions({ request, split }: Pick<Props, "request" | "split">) {
  const client = useQueryClient();
  const change = useChangeRequest();
  const mayChange = useMayWrite() && request.state !== "closed";
  const [merging, setMerging] = useState(false);
  const isRequest = request.state !== null;
  const { solveAndNext } = useOnOpen();
  const unsolved = isRequest && request.state !== "solved" && request.state !== "closed";
  const follows = request.following ?? false;
  const follow = () => void followRequest(client, request.id, !follows).catch((e: unknown) => tellProblem(e, t`Nothing was changed.`));

  const mark = () =>
    change.mutate(
      { id: request.id, change: { not_a_request_state: "temporary" } },
      { onSuccess: () => didWithUndo(t`Marked as not a request. It becomes one again if the requester writes.`, () => void undoNewest(client, request.id, "request.updated")) },
    );
  const unmark = () => change.mutate({ id: request.id, change: { state: "open" } });
  const copy = (text: string, done: string) => void navigator.clipboard.writeText(text).then(() => tell(done), tellProblem);
  const { key } = request;
  const copyKey = () => copy(key, t`${key} copied.`);
  const copyLink = () => copy(`${location.origin}/requests/${request.key}`, t`Link copied.`);
  useCommands([
    { id: "copy key", label: t`Copy key of this request`, group: t`Request`, run: copyKey },
    { id: "copy link", label: t`Copy link to this request`, group: t`Request`, run: copyLink },
    ...(mayChange
      ? [
          { id: "merge", label: t`Merge other requests into this one`, group: t`Request`, run: () => setMerging(true) },
          { id: "split", label: t`Split this request`, group: t`Request`, run: split },
          isRequest ? { id: "not a request", label: t`Mark as not a request`, group: t`Request`, run: mark } : { id: "a request", label: t`Mark as a request`, group: t`Request`, run: unmark },
        ]
      : []),
  ]);
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <ActionIcon aria-label={t`More actions`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={follows ? <IconStarFilled size={14} aria-hidden /> : <IconStar size={14} aria-hidden />} rightSection={<Keys keys="shift+f" />} onClick={follow}>
            {follows ? t`Stop following` : t({ message: "Follow", context: "verb" })}
          </Menu.Item>
          {mayChange && (
            <>
              {unsolved && (
                <Menu.Item leftSection={<IconCircleCheck size={14} aria-hidden />} rightSection={<Keys keys="shift+e" />} onClick={solveAndNext}>
                  {t`Solve and go to the next`}
                </Menu.Item>
              )}
              <Menu.Divider />
              <Menu.Item leftSection={<IconArrowMerge size={14} aria-hidden />} onClick={() => setMerging(true)} disabled={!isRequest}>
                {t`Merge other requests into this one`}
              </Menu.Item>
              <Menu.Item leftSection={<IconArrowsSplit2 size={14} aria-hidden />} onClick={split} disabled={(request.messages?.length ?? 0) < 2}>
                {t({ message: "Split", context: "verb" })}
              </Menu.Item>
              {isRequest ? (
                <Menu.Item leftSection={<IconBan size={14} aria-hidden />} onClick={mark}>
                  {t`Mark as not a request`}
                </Menu.Item>
              ) : (
                <Menu.Item leftSection={<IconRestore size={14} aria-hidden />} onClick={unmark}>
                  {t`Mark as a request`}
                </Menu.Item>
              )}
              <Menu.Divider />
            </>
          )}
          <Menu.Item leftSection={<IconHash size={14} aria-hidden />} onClick={copyKey}>
            {t`Copy key`}
          </Menu.Item>
          <Menu.Item leftSection={<IconLink size={14} aria-hidden />} onClick={copyLink}>
            {t`Copy link`}
          </Menu.Item>
          {request.request_thread && (
            <Menu.Item component="a" href={request.request_thread.url} target="_blank" rel="noopener noreferrer" leftSection={<IconMessageCircle size={14} aria-hidden />}>
              {t`Open in chat`}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Merge request={request} opened={merging} close={() => setMerging(false)} />
    </>
  );
}
