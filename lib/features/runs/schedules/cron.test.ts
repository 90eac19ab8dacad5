import { describe, expect, it } from "vitest";
import { BadSchedule, CronSchedule } from "./cron";

const runs = (cron: string, timezone: string, from: string, count: number) =>
  new CronSchedule(cron, timezone).nextRuns(count, new Date(from)).map((at) => at.toISOString().slice(0, 16));

describe("a schedule", () => {
  it("uses its time zone", () => {
    expect(runs("0 9 * * MON-FRI", "America/New_York", "2026-11-20T13:00:00Z", 3)).toEqual([
      "2026-11-20T14:00",
      "2026-11-23T14:00",
      "2026-11-24T14:00",
    ]);
    expect(runs("*/20 * * * *", "Asia/Kolkata", "2026-11-20T13:00:00Z", 3)).toEqual([
      "2026-11-20T13:10",
      "2026-11-20T13:30",
      "2026-11-20T13:50",
    ]);
  });

  it.each([
    ["30 2 * * *", ["2027-03-27T01:30", "2027-03-28T01:00", "2027-03-29T00:30"]],
    ["*/15 2 28 3 *", ["2027-03-28T01:00", "2028-03-28T00:00", "2028-03-28T00:15"]],
    ["0 2,3 * * *", ["2027-03-27T01:00", "2027-03-27T02:00", "2027-03-28T01:00", "2027-03-29T00:00"]],
    ["30 1-3 28 3 *", ["2027-03-28T00:30", "2027-03-28T01:00", "2027-03-28T01:30"]],
  ])("%s runs a skipped time once, at the end of the gap", (cron, expected) => {
    expect(runs(cron, "Europe/Berlin", "2027-03-27T00:00:00Z", expected.length)).toEqual(expected);
  });

  it.each([
    ["30 2 * * *", ["2027-10-30T00:30", "2027-10-31T00:30", "2027-11-01T01:30"]],
    ["*/30 2 31 10 *", ["2027-10-31T00:00", "2027-10-31T00:30", "2028-10-31T01:00"]],
    ["0 3 31 10 *", ["2027-10-31T02:00"]],
  ])("%s runs a repeated time once", (cron, expected) => {
    expect(runs(cron, "Europe/Berlin", "2027-10-30T00:00:00Z", expected.length)).toEqual(expected);
  });

  it("that runs every hour follows elapsed time, over clock changes too", () => {
    expect(runs("0 * * * *", "Europe/Berlin", "2027-10-30T23:30:00Z", 4)).toEqual([
      "2027-10-31T00:00",
      "2027-10-31T01:00",
      "2027-10-31T02:00",
      "2027-10-31T03:00",
    ]);
    expect(runs("*/30 * * * *", "Europe/Berlin", "2027-03-28T00:10:00Z", 3)).toEqual([
      "2027-03-28T00:30",
      "2027-03-28T01:00",
      "2027-03-28T01:30",
    ]);
  });

  it("supports half-hour changes, and zones without any", () => {
    // Lord Howe Island: on 2027-04-04 the clock goes back from 2:00 to 1:30, on 2027-10-03 forward from 2:00 to 2:30.
    expect(runs("45 1 4 4 *", "Australia/Lord_Howe", "2027-04-01T00:00:00Z", 1)).toEqual(["2027-04-03T14:45"]);
    expect(runs("15 2 3 10 *", "Australia/Lord_Howe", "2027-10-01T00:00:00Z", 1)).toEqual(["2027-10-02T15:30"]);
    expect(runs("0 0 1 1 *", "UTC", "2026-11-22T00:00:00Z", 1)).toEqual(["2027-01-01T00:00"]);
  });

  it("has one notation", () => {
    const { cron, timezone } = new CronSchedule("  0   9 * *  1 ", "europe/berlin");
    expect([cron, timezone]).toEqual(["0 9 * * 1", "Europe/Berlin"]);
  });

  it.each([
    "",
    "* * * *",
    "* * * * * *",
    "61 * * * *",
    "@hourly",
    "a b c d e",
    "* * 31 2 *",
    "0 0 30 2 *",
    "-1 * * * *",
    "0 9 * * * ;",
  ])("%j is rejected by its field", (cron) => {
    expect(() => new CronSchedule(cron, "UTC")).toThrow(BadSchedule);
  });

  it.each(["", "Nowhere/City", "+02:00", "Europe", "../etc", "Europe/Berlin "])(
    "the zone %j is rejected",
    (timezone) => {
      const make = () => new CronSchedule("0 9 * * *", timezone);
      expect(make).toThrow(BadSchedule);
      expect(make).toThrow(/time zone/);
    },
  );
});
