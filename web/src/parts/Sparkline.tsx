// A line of a few numbers, as small as a word. It says how something went, not
// how much it was: the number beside it does.

const width = 96;
const height = 24;

export function Sparkline({ values, label, late = false }: { values: (number | null)[]; label: string; late?: boolean }) {
  const known = values.filter((v) => v !== null);
  if (known.length < 2) return null;
  const most = Math.max(...known);
  const least = Math.min(0, ...known);
  const x = (i: number) => (i / (values.length - 1)) * (width - 2) + 1;
  const y = (v: number) => height - 2 - ((v - least) / (most - least || 1)) * (height - 4);
  // A gap is where nothing was measured.
  let path = "";
  let pen = false;
  values.forEach((v, i) => {
    if (v === null) pen = false;
    else {
      path += `${pen ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
      pen = true;
    }
  });
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path d={path} fill="none" stroke={late ? "var(--bad)" : "var(--mantine-primary-color-filled)"} strokeWidth={1.5} strokeLinejoin="round" strokeLinecap="round" />
    </svg>
  );
}
