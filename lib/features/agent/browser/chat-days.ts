import { formatClock } from "@/lib/platform/browser/format";
import { formatDayAndMonth } from "@/lib/platform/browser/format-time";

/** Groups chats by the day of their last message, in their order. */
export function groupByDay<T extends { updatedAt: string }>(
  chats: readonly T[],
  now: Date,
): { day: string; items: T[] }[] {
  const groups = Map.groupBy(chats, ({ updatedAt }) => toDay(new Date(updatedAt), now));
  return [...groups].map(([day, items]) => ({ day, items }));
}

function toDay(at: Date, now: Date): string {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  if (at >= midnight) return "Today";
  if (at >= new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)) return "Yesterday";
  if (at.getFullYear() === now.getFullYear() && at.getMonth() === now.getMonth()) return "Earlier this month";
  return at.toLocaleDateString("en", { month: "long", year: "numeric" });
}

/** Returns the time of a chat in its group: the time of day, or the day. */
export function toChatTime(text: string, now: Date): string {
  const at = new Date(text);
  const day = toDay(at, now);
  if (day === "Today" || day === "Yesterday") return formatClock(at, false);
  return formatDayAndMonth(at);
}
