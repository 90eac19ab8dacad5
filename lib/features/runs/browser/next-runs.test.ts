import { describe, expect, it } from "vitest";
import { toNextRuns } from "@/lib/features/runs/browser/next-runs";

const shown = (cron: string, timezone: string, now: string) => {
  const next = toNextRuns(cron, timezone, new Date(now));
  return next.isGood ? next.runs.map(({ text, note }) => [text, note]) : next;
};

describe("the next runs", () => {
  it("are five, in their time zone, with the year if it differs", () => {
    expect(shown("0 7 * * 1", "Asia/Kolkata", "2026-12-14T00:00:00Z")).toEqual([
      ["Mon 14 Dec 07:00", null],
      ["Mon 21 Dec 07:00", null],
      ["Mon 28 Dec 07:00", null],
      ["Mon 4 Jan 2027 07:00", null],
      ["Mon 11 Jan 2027 07:00", null],
    ]);
  });

  it("show a run moved by a clock change, and the first after it", () => {
    // Berlin: on 28 March 2027 the clock goes from 2:00 to 3:00.
    expect(shown("30 2 * * *", "Europe/Berlin", "2027-03-26T12:00:00Z")).toEqual([
      ["Sat 27 Mar 02:30", null],
      ["Sun 28 Mar 03:00", "Clocks skip this time; it runs at the end of the hour"],
      ["Mon 29 Mar 02:30", null],
      ["Tue 30 Mar 02:30", null],
      ["Wed 31 Mar 02:30", null],
    ]);
    expect(shown("0 7 * * 1", "Europe/Berlin", "2027-03-21T12:00:00Z")).toMatchObject([
      ["Mon 22 Mar 07:00", null],
      ["Mon 29 Mar 07:00", "After clocks go forward"],
      ["Mon 5 Apr 07:00", null],
      {},
      {},
    ]);
    expect(shown("0 3 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z")).toMatchObject([
      ["Sun 28 Mar 03:00", "After clocks go forward"],
      {},
      {},
      {},
      {},
    ]);
  });

  it("show the run at a repeated time", () => {
    // Berlin: on 31 October 2027 from 3:00 to 2:00.
    expect(shown("30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z")).toMatchObject([
      ["Sun 31 Oct 02:30", "Clocks repeat this hour; it runs once"],
      ["Mon 1 Nov 02:30", "After clocks go back"],
      {},
      {},
      {},
    ]);
    expect(shown("30 * * * *", "Europe/Berlin", "2027-10-31T00:00:00Z")).toMatchObject([
      ["Sun 31 Oct 02:30", "Clocks repeat this hour; it runs twice"],
      ["Sun 31 Oct 02:30", "After clocks go back"],
      ["Sun 31 Oct 03:30", null],
      {},
      {},
    ]);
  });

  it("name the invalid field", () => {
    expect(shown("0 7 * *", "UTC", "2026-12-14T00:00:00Z")).toMatchObject({ isGood: false, field: "cron" });
    expect(shown("0 7 30 2 *", "UTC", "2026-12-14T00:00:00Z")).toMatchObject({ isGood: false, field: "cron" });
    expect(shown("0 7 * * 1", "Mars/Base", "2026-12-14T00:00:00Z")).toMatchObject({ isGood: false, field: "timezone" });
  });
});
