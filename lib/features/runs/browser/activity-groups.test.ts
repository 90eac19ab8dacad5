import { expect, it } from "vitest";
import type { Activity } from "@/lib/features/runs/browser/activity";
import { toGroups } from "./activity-groups";

const NOW = new Date(2026, 10, 25, 0, 10);
const query = (id: string, at: Date, status = "success") =>
  ({ kind: "query", id, at: at.toISOString(), execution: { status } }) as Activity;

it("puts running items first, then groups the others by day", () => {
  const items = [
    query("now", new Date(2026, 10, 25, 0, 5)),
    query("late", new Date(2026, 10, 24, 23, 59), "failed"),
    query("old", new Date(2026, 10, 23, 23, 59)),
    query("long", new Date(2026, 10, 23, 1), "running"),
  ];
  expect(toGroups(items, NOW).map(({ name, items: group }) => [name, ...group.map(({ id }) => id)])).toEqual([
    ["Running", "long"],
    ["Today", "now"],
    ["Yesterday", "late"],
    ["Earlier", "old"],
  ]);
});
