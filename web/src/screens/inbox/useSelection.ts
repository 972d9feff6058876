import { useCallback, useState } from "react";
import type { ListedRequest } from "../../data/requests";

const nothing: ReadonlySet<number> = new Set();

/** The requests that are selected, and how that changes. Ranges go from what was selected last. */
export function useSelection(rows: ListedRequest[]) {
  const [chosen, setChosen] = useState(nothing);
  const [last, setLast] = useState<number | null>(null);

  const toggle = (id: number) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
    setLast(id);
  };
  const extend = (id: number, from: number | null) => {
    const a = rows.findIndex((r) => r.id === (last ?? from));
    const b = rows.findIndex((r) => r.id === id);
    if (a < 0 || b < 0) return toggle(id);
    setChosen(new Set([...chosen, ...rows.slice(Math.min(a, b), Math.max(a, b) + 1).map((r) => r.id)]));
    setLast(id);
  };
  const all = () => setChosen(new Set(rows.map((r) => r.id)));
  const clear = useCallback(() => {
    setChosen(nothing);
    setLast(null);
  }, []);
  return { chosen, requests: chosen.size === 0 ? [] : rows.filter((r) => chosen.has(r.id)), toggle, extend, all, clear };
}
