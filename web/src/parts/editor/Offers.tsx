import { t } from "@lingui/core/macro";
import { Anchor, Portal, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useLayoutEffect, useState } from "react";
import { type User, usersFound } from "../../data/people";
import { type QuickReply, quickRepliesQuery } from "../../data/quickReplies";
import { AppLink } from "../AppLink";
import { Face } from "../Face";
import classes from "./Editor.module.css";
import type { Asked, Desk } from "./extensions";

type Offer = {
  id: string;
  label: string;
  sign: ReactNode;
  hint: string;
  content: Parameters<Asked["put"]>[0];
  /** Whether it may be meant by this. */
  fits: (typed: string) => boolean;
};

type Props = {
  asked: Asked;
  close: () => void;
  /** Where the editor finds who takes its keys while this is shown. */
  keys: RefObject<Desk["takeKey"] | null>;
};

/** The list beside the text: people after @, quick replies after a semicolon. */
export function Offers({ asked, close, keys }: Props) {
  const offers = useOffers(asked);
  const [at, setAt] = useState({ typed: asked.typed, index: 0 });
  const chosen = at.typed === asked.typed ? Math.min(at.index, Math.max(0, offers.length - 1)) : 0;
  const choose = (index: number) => setAt({ typed: asked.typed, index });

  // Before the list is painted: somebody who sees it can press a key in the same moment.
  useLayoutEffect(() => {
    keys.current = (e, now) => {
      const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
      const meant = now.typed === asked.typed ? offers[chosen] : offers.find((o) => o.fits(now.typed));
      if (e.key === "Escape") close();
      else if (!meant) return false;
      else if (step !== 0) choose((chosen + step + offers.length) % offers.length);
      else if ((e.key === "Enter" || e.key === "Tab") && !e.metaKey && !e.ctrlKey) now.put(meant.content);
      else return false;
      return true;
    };
    return () => {
      keys.current = null;
    };
  });

  const place = asked.place();
  const none = useNoReplies(asked);
  if (!place || (offers.length === 0 && !none)) return null;
  // Above the line where it fits, as the editor is at the foot of the screen.
  const above = place.top > 330;
  const style = { insetInlineStart: Math.max(8, Math.min(place.left, window.innerWidth - 308)), ...(above ? { bottom: window.innerHeight - place.top + 4 } : { top: place.bottom + 4 }) };
  if (none)
    return (
      <Portal>
        <Text className={classes.offers!} style={style} role="status" size="sm" px="xs">
          {t`No quick replies yet.`}{" "}
          <Anchor component={AppLink} href={quickRepliesPage} size="sm" underline="always">
            {t({ message: "Create one", context: "quick reply" })}
          </Anchor>
        </Text>
      </Portal>
    );
  return (
    <Portal>
      <div className={classes.offers} role="listbox" aria-label={asked.of === "people" ? t`People` : t`Quick replies`} style={style}>
        {offers.map((o, i) => (
          <div
            key={o.id}
            role="option"
            aria-selected={i === chosen}
            className={classes.offer}
            onMouseMove={() => choose(i)}
            onMouseDown={(e) => {
              e.preventDefault(); // the text keeps the focus
              asked.put(o.content);
            }}
          >
            {o.sign}
            <Text span size="sm" truncate dir="auto">
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

/** Where quick replies are made. */
export const quickRepliesPage = "/settings/quick-replies";

/** Whether somebody asks for quick replies and there are none. With the next letter, the semicolon was just one. */
function useNoReplies({ of, typed }: Asked): boolean {
  const replies = useQuery({ ...quickRepliesQuery, enabled: of === "quick replies" }).data;
  return of === "quick replies" && typed === "" && replies?.length === 0;
}

const most = 8;

function useOffers({ of, typed }: Asked): Offer[] {
  const people = useQuery({ ...usersFound(typed), enabled: of === "people", placeholderData: keepPreviousData });
  const replies = useQuery({ ...quickRepliesQuery, enabled: of === "quick replies" }).data;
  const offers = of === "people" ? (people.data ?? []).map(personOffer) : (replies ?? []).map(replyOffer);
  // While a new answer loads, show only those old offers that still match: Enter inserts the first one.
  return (of === "people" && !people.isPlaceholderData ? offers : offers.filter((o) => o.fits(typed))).slice(0, most);
}

const personOffer = (u: User): Offer => ({
  id: u.id,
  label: u.name,
  sign: <Face id={u.id} name={u.name} />,
  hint: u.email ?? "",
  content: [
    { type: "person", attrs: { id: u.id, name: u.name } },
    { type: "text", text: " " },
  ],
  fits: (typed) => [u.name, ...u.name.split(" "), u.email ?? ""].some((word) => word.toLowerCase().startsWith(typed.toLowerCase())),
});

const replyOffer = (r: QuickReply): Offer => ({
  id: String(r.id),
  label: r.name,
  sign: null,
  hint: r.shared ? "" : t({ message: "Private", context: "quick reply" }),
  content: r.html,
  fits: (typed) => r.name.toLowerCase().includes(typed.toLowerCase()),
});
