import { type Activity, stateOf } from "@/lib/features/runs/browser/activity";

const GROUPS = ["Running", "Today", "Yesterday", "Earlier"] as const;

/** Groups running items first, then the others by day. */
export function toGroups(items: Activity[], now: Date): { name: string; items: Activity[] }[] {
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  const groups = Map.groupBy(items, (item): (typeof GROUPS)[number] => {
    if (stateOf(item) === "motion") return "Running";
    const day = new Date(item.at).toDateString();
    if (day === now.toDateString()) return "Today";
    return day === yesterday.toDateString() ? "Yesterday" : "Earlier";
  });
  return GROUPS.flatMap((name) => {
    const group = groups.get(name);
    return group ? [{ name, items: group }] : [];
  });
}
