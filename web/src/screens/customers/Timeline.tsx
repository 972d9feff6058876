import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconMessage, IconNote, IconSpeakerphone, IconStar } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type TimelineEntry, timelineQuery } from "../../data/customerNotes";
import { AppLink } from "../../parts/AppLink";
import { Failure, Loading } from "../../parts/states";
import { Ago } from "../../parts/time";
import classes from "./Customers.module.css";

const kinds: Record<TimelineEntry["kind"], { words: MessageDescriptor; Icon: typeof IconNote; colour: string }> = {
  request_created: { words: msg({ message: "Asked:", context: "timeline" }), Icon: IconMessage, colour: "var(--faint)" },
  request_solved: { words: msg({ message: "Solved:", context: "timeline" }), Icon: IconCircleCheck, colour: "var(--good)" },
  first_response_breached: { words: msg({ message: "First response too late:", context: "timeline" }), Icon: IconAlertTriangle, colour: "var(--bad)" },
  resolution_breached: { words: msg({ message: "Resolution too late:", context: "timeline" }), Icon: IconAlertTriangle, colour: "var(--bad)" },
  survey_answered: { words: msg({ message: "Rated:", context: "timeline" }), Icon: IconStar, colour: "var(--warn)" },
  announcement_delivered: { words: msg({ message: "Received the announcement:", context: "timeline" }), Icon: IconSpeakerphone, colour: "var(--faint)" },
  note_created: { words: msg({ message: "Note:", context: "timeline" }), Icon: IconNote, colour: "var(--faint)" },
};

/** What happened to a customer, newest first. */
export function Timeline({ id }: { id: number }) {
  const timeline = useInfiniteQuery(timelineQuery(id));
  const all = timeline.data?.pages.flatMap((p) => p.timeline) ?? [];
  return (
    <section className={classes.block} aria-label={t`Timeline`}>
      <h2 className={classes.blockTitle}>{t`Timeline`}</h2>
      {timeline.isPending ? (
        <Loading rows={4} />
      ) : timeline.isError ? (
        <Failure error={timeline.error} retry={() => void timeline.refetch()} />
      ) : all.length === 0 ? (
        <p className={classes.faint}>{t`Nothing has happened yet. Requests, surveys, announcements and notes will appear here.`}</p>
      ) : (
        <ol className={classes.list}>
          {all.map((e) => (
            <Entry key={`${e.kind} ${e.request?.id ?? e.announcement?.id ?? e.note?.id}`} entry={e} />
          ))}
        </ol>
      )}
      {timeline.hasNextPage && (
        <Button variant="default" size="xs" loading={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>
          {t`Show older`}
        </Button>
      )}
    </section>
  );
}

const rated = ({ value, max_value: best }: NonNullable<TimelineEntry["survey"]>) => t`Rated ${value} of ${best}:`;

function Entry({ entry: e }: { entry: TimelineEntry }) {
  const { words, Icon, colour } = kinds[e.kind];
  const link = e.request ? { href: `/requests/${e.request.id}`, text: e.request.title } : e.announcement && { href: `/announcements/${e.announcement.id}`, text: e.announcement.title };
  const author = <bdi>{e.note?.author.name}</bdi>; // as an element, since tags in a text would be taken for those of <Trans>
  return (
    <li className={classes.entry}>
      <Icon size={15} stroke={2} color={colour} aria-hidden />
      <span>
        {e.note ? <Trans>Note by {author}:</Trans> : e.survey ? rated(e.survey) : i18n._(words)}{" "}
        {link ? (
          <AppLink href={link.href} className={classes.name} dir="auto">
            {link.text}
          </AppLink>
        ) : (
          <span dir="auto" className={classes.said}>
            {e.note?.text}
          </span>
        )}
      </span>
      <span className={classes.faint}>
        <Ago at={e.at} />
      </span>
    </li>
  );
}
