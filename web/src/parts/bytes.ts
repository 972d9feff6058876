// How large a file is, in words.
import { locale } from "../texts";

const unit = (name: string, unitDisplay: "short" | "long", digits: number) =>
  new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay, minimumFractionDigits: digits, maximumFractionDigits: digits });

const [bytes, kilobytes, megabytes] = [unit("byte", "long", 0), unit("kilobyte", "short", 0), unit("megabyte", "short", 1)];

/** "120 bytes", "12 kB", "1.2 MB". */
export function size(of: number): string {
  if (of < 1000) return bytes.format(of);
  return of < 1e6 ? kilobytes.format(of / 1000) : megabytes.format(of / 1e6);
}
