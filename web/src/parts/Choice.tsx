// A list to choose from by the keyboard: what the keys a, s, p and l open.
import { t } from "@lingui/core/macro";
import { Drawer, Text, TextInput } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import classes from "./Choice.module.css";
import { Dialog } from "./Dialog";
import { Floating, placeOf } from "./Floating";
import { useIsPhone } from "./Panes";

export type Option = { value: string; label: string; sign?: ReactNode };

/** Marks the control at which a choice opens. Buttons for everything that is selected are marked apart from those of one request. */
export const choiceAt = (name: string) => ({ "data-choice": name });

type Props = {
  title: string;
  /** null while what was typed is still being looked up: Enter waits for it. */
  options: Option[] | null;
  chosen: string[];
  /** Called with each choice; without `several`, the list closes with the first. */
  choose: (value: string) => void;
  several?: boolean;
  close: () => void;
  /** Where the options depend on what was typed; otherwise the list narrows by itself. */
  onType?: (typed: string) => void;
  /** Makes what was typed an option of its own: a tag that is not there yet. */
  make?: (typed: string) => Option | null;
};

/** A search box over a list: arrow keys move, Enter chooses, Escape closes. It opens at the first of the places `at` that can be seen, on a phone from below. */
export function Choice({ opened, ...props }: Props & { opened: boolean; at: readonly string[] }) {
  return opened ? <Opened {...props} /> : null;
}

function Opened({ at, ...props }: Props & { at: readonly string[] }) {
  const phone = useIsPhone();
  const [place] = useState(() => placeOf(at.map((name) => (name.startsWith("[") ? name : `[data-choice="${name}"]`))));
  const { title, close } = props;
  if (phone)
    return (
      <Drawer opened onClose={close} title={title} position="bottom" padding="sm" styles={{ content: { height: "auto", maxHeight: "70dvh" } }}>
        <List {...props} />
      </Drawer>
    );
  if (!place)
    return (
      <Dialog opened onClose={close} title={title} padding="sm" size="sm" centered={false} yOffset="14vh">
        <List {...props} />
      </Dialog>
    );
  return (
    <Floating place={place} label={title} close={close}>
      <p className={classes.title} aria-hidden>
        {title}
      </p>
      <List {...props} />
    </Floating>
  );
}

/** What has these letters; first what begins with them. */
function matching(options: Option[], letters: string): Option[] {
  const found = options.filter((o) => o.label.toLowerCase().includes(letters));
  const begins = (o: Option) => o.label.toLowerCase().startsWith(letters);
  return [...found.filter(begins), ...found.filter((o) => !begins(o))];
}

// A keyboard that comes up by itself would cover the list.
const touch = matchMedia("(hover: none) and (pointer: coarse)").matches;

function List({ title, options, chosen, choose, several, close, onType, make }: Props) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [waiting, setWaiting] = useState(false);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const fits = onType ? options : options && matching(options, typed.trim().toLowerCase());
  const made = typed.trim() !== "" && fits && !fits.some((o) => o.label.toLowerCase() === typed.trim().toLowerCase()) ? (make?.(typed.trim()) ?? null) : null;
  const shown = [...(fits ?? []), ...(made ? [made] : [])];

  const pick = (o: Option | undefined) => {
    if (!o) return;
    choose(o.value);
    if (!several) close();
    setTyped("");
    onType?.("");
    setAt(0);
  };
  // Enter was pressed while options were loading: choose from the new options, not from the old ones.
  const pickAwaited = useEffectEvent(() => {
    setWaiting(false);
    pick(shown[at]);
  });
  const arrived = waiting && fits !== null;
  useEffect(() => {
    if (arrived) pickAwaited();
  }, [arrived]);
  useEffect(() => {
    list.current?.querySelector("[data-at]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <>
      <TextInput
        variant="unstyled"
        className={classes.search!}
        data-autofocus={!touch || undefined}
        placeholder={t`Type to search`}
        aria-label={title}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={shown[at] ? `${id}-${at}` : undefined}
        value={typed}
        onChange={(e) => {
          setTyped(e.currentTarget.value);
          onType?.(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
          if (step !== 0) {
            e.preventDefault();
            setAt((at + step + shown.length) % Math.max(1, shown.length));
          } else if (e.key === "Enter") {
            e.preventDefault();
            if (fits === null) setWaiting(true);
            else pick(shown[at]);
          }
        }}
      />
      <div className={classes.list} id={id} role="listbox" aria-label={title} aria-multiselectable={several} ref={list} tabIndex={-1}>
        {shown.map((o, i) => (
          <div
            key={o.value}
            id={`${id}-${i}`}
            role="option"
            aria-selected={chosen.includes(o.value)}
            {...(i === at && { "data-at": true })}
            className={classes.option}
            onMouseMove={() => setAt(i)}
            onClick={() => pick(o)}
          >
            {o.sign}
            <Text size="sm" truncate dir="auto">
              {o.label}
            </Text>
            {chosen.includes(o.value) && <IconCheck size={14} className={classes.check} aria-hidden />}
          </div>
        ))}
      </div>
      {shown.length === 0 && (
        <Text size="sm" c="dimmed" p="xs">
          {fits === null ? t`Searching…` : t`No results.`}
        </Text>
      )}
    </>
  );
}
