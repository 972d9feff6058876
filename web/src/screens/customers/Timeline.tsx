import { Button } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconMessage, IconNote, IconSpeakerphone, IconStar } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type TimelineEntry, timelineQuery } from "../../data/customerNotes";
import { AppLink } from "../../parts/AppLink";
import { Failure, Loading } from "../../parts/states";
import { Ago } from "../../parts/time";
import classes from "./Customers.module.css";

const kinds: Record<TimelineEntry["kind"], { words: string; Icon: typeof IconNote; colour: string }> = {
  request_created: { words: "Asked", Icon: IconMessage, colour: "var(--faint)" },
  request_solved: { words: "Solved", Icon: IconCircleCheck, colour: "var(--good)" },
  first_response_breached: { words: "First response too late", Icon: IconAlertTriangle, colour: "var(--bad)" },
  resolution_breached: { words: "Resolution too late", Icon: IconAlertTriangle, colour: "var(--bad)" },
  survey_answered: { words: "Rated", Icon: IconStar, colour: "var(--warn)" },
  announcement_delivered: { words: "Got the announcement", Icon: IconSpeakerphone, colour: "var(--faint)" },
  note_created: { words: "Note", Icon: IconNote, colour: "var(--faint)" },
};

/** What happened to a customer, newest first. */
export function Timeline({ id }: { id: number }) {
  const timeline = useInfiniteQuery(timelineQuery(id));
  const all = timeline.data?.pages.flatMap((p) => p.timeline) ?? [];
  return (
    <section className={classes.block} aria-label="Timeline">
      <h2 className={classes.blockTitle}>Timeline</h2>
      {timeline.isPending ? (
        <Loading rows={4} />
      ) : timeline.isError ? (
        <Failure error={timeline.error} retry={() => void timeline.refetch()} />
      ) : all.length === 0 ? (
        <p className={classes.faint}>Nothing has happened yet. Requests, surveys, announcements and notes will be here.</p>
      ) : (
        <ol className={classes.list}>
          {all.map((e) => (
            <Entry key={`${e.kind} ${e.request?.id ?? e.announcement?.id ?? e.note?.id}`} entry={e} />
          ))}
        </ol>
      )}
      {timeline.hasNextPage && (
        <Button variant="default" size="xs" loading={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>
          Show older
        </Button>
      )}
    </section>
  );
}

function Entry({ entry: e }: { entry: TimelineEntry }) {
  const { words, Icon, colour } = kinds[e.kind];
  const link = e.request ? { href: `/requests/${e.request.id}`, text: e.request.title } : e.announcement && { href: `/announcements/${e.announcement.id}`, text: e.announcement.title };
  return (
    <li className={classes.entry}>
      <Icon size={15} stroke={2} color={colour} aria-hidden />
      <span>
        {words}
        {e.survey && ` ${e.survey.value} of ${e.survey.max_value}`}{" "}
        {e.note && (
          <>
            by <bdi>{e.note.author.name}</bdi>:{" "}
          </>
        )}
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
