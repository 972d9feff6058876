// A list to choose from by the keyboard: what the keys a, s, p and l open.
import { Modal, Text, TextInput } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import classes from "./Choice.module.css";

export type Option = { value: string; label: string; sign?: ReactNode };

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

/** A dialog with a search box over a list. Arrow keys move, Enter chooses, Escape closes. */
export function Choice({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={props.close} title={props.title} padding="sm" size="sm" centered={false} yOffset="14vh">
      {opened && <List {...props} />}
    </Modal>
  );
}

function List({ title, options, chosen, choose, several, close, onType, make }: Props) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [waiting, setWaiting] = useState(false);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const fits = onType ? options : (options?.filter((o) => o.label.toLowerCase().includes(typed.trim().toLowerCase())) ?? null);
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
        data-autofocus
        placeholder="Type to search"
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
            <Text size="sm" truncate>
              {o.label}
            </Text>
            {chosen.includes(o.value) && <IconCheck size={14} className={classes.check} aria-hidden />}
          </div>
        ))}
        {shown.length === 0 && (
          <Text size="sm" c="dimmed" p="xs">
            {fits === null ? "Searching…" : "No results."}
          </Text>
        )}
      </div>
    </>
  );
}
