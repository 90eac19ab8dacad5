/** Formats numbers, sizes and times for the whole interface (docs/develop/design.md, Words). */
import { formatCount } from "@/lib/base/values/amounts";
import { two } from "./format-time";

export { formatCount, formatCountOf, formatDuration, toDuration } from "@/lib/base/values/amounts";

/** Shortens a count for trees, which are narrow: "2,000", "8,400", "21 k", "1.9 M". */
export function formatCountShort(count: number): string {
  if (count < 10_000) return formatCount(count);
  if (count < 999_500) return `${Math.round(count / 1000)} k`;
  const millions = count / 1_000_000;
  const short = (value: number) => value.toFixed(1).replace(/\.0$/, "");
  if (millions >= 999.5) return `${short(count / 1e9)} G`;
  return `${millions < 10 ? short(millions) : Math.round(millions)} M`;
}

/** Returns a size in the unit that keeps it short: "812 B", "2.1 KB", "3.4 MB". */
export function toSize(bytes: number): { value: string; unit: string } {
  if (bytes < 1000) return { value: String(bytes), unit: "B" };
  if (bytes < 1_000_000) return { value: (bytes / 1000).toFixed(1), unit: "KB" };
  return { value: (bytes / 1_000_000).toFixed(1), unit: "MB" };
}

/** Formats the time of day in the reader's zone: "10:41:07", or "10:41" without seconds. */
export function formatClock(at: Date, withSeconds = true): string {
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return withSeconds ? `${clock}:${two(at.getSeconds())}` : clock;
}

/** Returns a person's initials: "IO" for "Ines Okafor"; an address gives its first letter. */
export function toInitials(name: string): string {
  const words =
    name
      .split("@")[0]
      ?.split(/[\s._-]+/)
      .filter(Boolean) ?? [];
  const first = [...(words[0] ?? "?")][0] ?? "?";
  const last = words.length > 1 ? ([...(words.at(-1) ?? "")][0] ?? "") : "";
  return `${first}${last}`.toUpperCase();
}
