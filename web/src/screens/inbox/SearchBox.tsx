import { t } from "@lingui/core/macro";
import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { type RefObject, memo, useEffect, useRef, useState } from "react";
import { Keys } from "../../frame/commands";

// As long as somebody is likely to go on typing.
const pause = 250;

/** Words to search for. They are searched for as soon as nothing more is typed, or at once with Enter. */
export const SearchBox = memo(function SearchBox({ box, query, search }: { box: RefObject<HTMLInputElement | null>; query: string; search: (query: string) => void }) {
  const [typed, setTyped] = useState(query);
  const waiting = useRef<number | undefined>(undefined);
  const asked = useRef(query);
  // Back and forward in the browser change the words, too; what somebody is typing stays.
  useEffect(() => {
    if (query === asked.current) return;
    asked.current = query;
    setTyped(query);
  }, [query]);
  useEffect(() => () => window.clearTimeout(waiting.current), []);

  const ask = (text: string) => {
    window.clearTimeout(waiting.current);
    const words = text.trim();
    if (words === asked.current) return;
    asked.current = words;
    search(words);
  };
  const type = (text: string) => {
    setTyped(text);
    window.clearTimeout(waiting.current);
    waiting.current = window.setTimeout(() => ask(text), pause);
  };
  const clear = () => {
    setTyped("");
    ask("");
  };
  return (
    <TextInput
      ref={box}
      size="xs"
      aria-label={t`Search requests`}
      placeholder={t`Search`}
      maxLength={300}
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={typed ? <CloseButton size="xs" aria-label={t`Clear search`} onClick={clear} /> : <Keys keys="/" />}
      value={typed}
      onChange={(e) => type(e.currentTarget.value)}
      onKeyDown={(e) => {
        if (e.key === "Enter") {
          ask(typed);
          e.currentTarget.blur();
        } else if (e.key === "Escape") {
          if (typed) clear();
          e.currentTarget.blur();
        }
      }}
    />
  );
});
