import { Portal, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { usersFound } from "../../data/people";
import { quickRepliesQuery } from "../../data/quickReplies";
import { Face } from "../person";
import classes from "./Editor.module.css";
import type { Asked } from "./extensions";

type Offer = { id: string; label: string; sign: ReactNode; hint: string; content: Parameters<Asked["put"]>[0] };

type Props = {
  asked: Asked;
  close: () => void;
  /** Where the editor finds who takes its keys while this is shown. */
  keys: RefObject<((e: KeyboardEvent) => boolean) | null>;
};

/** The list beside the text: people after @, quick replies after a semicolon. */
export function Offers({ asked, close, keys }: Props) {
  const offers = useOffers(asked);
  const [at, setAt] = useState(0);
  const chosen = Math.min(at, Math.max(0, offers.length - 1));
  const put = (o: Offer | undefined) => o && asked.put(o.content);

  useEffect(() => setAt(0), [asked.typed]);
  useEffect(() => {
    keys.current = (e) => {
      const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
      if (e.key === "Escape") close();
      else if (offers.length === 0) return false;
      else if (step !== 0) setAt((chosen + step + offers.length) % offers.length);
      else if ((e.key === "Enter" || e.key === "Tab") && !e.metaKey && !e.ctrlKey) put(offers[chosen]);
      else return false;
      return true;
    };
    return () => {
      keys.current = null;
    };
  });

  const place = asked.place();
  if (!place || offers.length === 0) return null;
  // Above the line where it fits, as the editor is at the foot of the screen.
  const above = place.top > 260;
  return (
    <Portal>
      <div
        className={classes.offers}
        role="listbox"
        aria-label={asked.of === "people" ? "People" : "Quick replies"}
        style={{ insetInlineStart: Math.max(8, Math.min(place.left, window.innerWidth - 308)), ...(above ? { bottom: window.innerHeight - place.top + 4 } : { top: place.bottom + 4 }) }}
      >
        {offers.map((o, i) => (
          <div
            key={o.id}
            role="option"
            aria-selected={i === chosen}
            className={classes.offer}
            onMouseMove={() => setAt(i)}
            onMouseDown={(e) => {
              e.preventDefault(); // the text keeps the focus
              put(o);
            }}
          >
            {o.sign}
            <Text span size="sm" truncate>
              {o.label}
            </Text>
            <Text span size="xs" c="dimmed" truncate>
              {o.hint}
            </Text>
          </div>
        ))}
      </div>
    </Portal>
  );
}

const most = 8;

function useOffers({ of, typed }: Asked): Offer[] {
  const people = useQuery({ ...usersFound(typed), enabled: of === "people", placeholderData: keepPreviousData }).data;
  const replies = useQuery({ ...quickRepliesQuery, enabled: of === "quick replies" }).data;
  if (of === "people")
    return (people ?? []).slice(0, most).map((u) => ({
      id: u.id,
      label: u.name,
      sign: <Face id={u.id} name={u.name} />,
      hint: u.email ?? "",
      content: [
        { type: "person", attrs: { id: u.id, name: u.name } },
        { type: "text", text: " " },
      ],
    }));
  return (replies ?? [])
    .filter((r) => r.name.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, most)
    .map((r) => ({ id: String(r.id), label: r.name, sign: null, hint: r.shared ? "" : "Only yours", content: r.html }));
}
