import { describe, expect, it } from "vitest";
import { changeKind, toChoice, toCron } from "@/lib/features/runs/browser/schedule-choice";

describe("a simple schedule", () => {
  it.each([
    ["15 * * * *", { kind: "hourly", minute: 15 }],
    ["0 7 * * *", { kind: "daily", time: "07:00" }],
    ["5 23 * * 1,3", { kind: "weekly", time: "23:05", days: [1, 3] }],
    ["30 6 1 * *", { kind: "monthly", time: "06:30", day: 1 }],
    ["30 6 L * *", { kind: "monthly", time: "06:30", day: null }],
    ["*/15 8-17 * * MON-FRI", { kind: "custom", cron: "*/15 8-17 * * MON-FRI" }],
  ])("%s is read, and written back unchanged", (cron, choice) => {
    expect(toChoice(cron)).toEqual(choice);
    expect(toCron(toChoice(cron))).toBe(cron);
  });

  it("accepts Sunday by both numbers, and ranges of days", () => {
    expect(toChoice("0 7 * * 0,6")).toEqual({ kind: "weekly", time: "07:00", days: [6, 7] });
    expect(toChoice("0 7 * * 7")).toEqual({ kind: "weekly", time: "07:00", days: [7] });
    expect(toChoice("0 7 * * 1-5")).toEqual({ kind: "weekly", time: "07:00", days: [1, 2, 3, 4, 5] });
    expect(toCron({ kind: "weekly", time: "07:00", days: [6, 7] })).toBe("0 7 * * 6,0");
  });

  it.each([
    "",
    "0 7 * *",
    "61 7 * * *",
    "0 24 * * *",
    "0 7 0 * *",
    "0 7 1 * 1",
    "0 7 * 1 *",
    "0 * * * 1",
    "0 7 * * 1#2",
  ])("keeps %j, which no simple choice expresses", (cron) => expect(toChoice(cron)).toEqual({ kind: "custom", cron }));

  it("keeps its time of day when its type changes", () => {
    const daily = toChoice("40 18 * * *");
    expect(changeKind(daily, "weekly")).toEqual({ kind: "weekly", time: "18:40", days: [1] });
    expect(changeKind(daily, "hourly")).toEqual({ kind: "hourly", minute: 40 });
    expect(changeKind(daily, "custom")).toEqual({ kind: "custom", cron: "40 18 * * *" });
  });
});
