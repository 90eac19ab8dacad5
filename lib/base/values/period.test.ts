import { describe, expect, it } from "vitest";
import { offsetAt } from "./offset";
import { offsetSpans, toBound } from "./period";

describe("toBound", () => {
  it("is the first moment of a day in the zone, and of the next day as an end", () => {
    expect(toBound("2026-03-29", "Europe/Berlin", false).instant).toBe(Date.parse("2026-03-28T23:00:00Z"));
    expect(toBound("2026-03-29", "Europe/Berlin", true).instant).toBe(Date.parse("2026-03-29T22:00:00Z"));
  });

  it.each([
    ["Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30:00Z"],
    ["America/New_York", "2026-03-08T02:00", "2026-03-08T07:00:00Z"],
    ["America/New_York", "2026-03-08T02:30", "2026-03-08T07:30:00Z"],
    ["Australia/Lord_Howe", "2026-10-04T02:00", "2026-10-03T15:30:00Z"],
    ["America/New_York", "2026-03-08T03:00", "2026-03-08T07:00:00Z"],
  ])("reads a time that clocks in %s skip with the offset before: %s", (zone, text, instant) => {
    expect(toBound(text, zone, false).instant).toBe(Date.parse(instant));
  });

  it.each(["2026-02-31", "2026-02-29T10:00:00", "2026-02-30T00:00:00Z", "2026-13-01", "2026-05-31T25:00"])(
    "finds that %s does not exist",
    (text) => expect(toBound(text, "Europe/Berlin", false)).toEqual({ local: Number.NaN, instant: Number.NaN }),
  );
});

describe("offsetSpans", () => {
  it.each(["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "UTC"])("has the offsets of %s", (zone) => {
    for (const period of [
      { from: null, to: null },
      { from: Date.UTC(1951, 4), to: Date.UTC(2049, 4) },
      { from: Date.UTC(2026, 2, 29, 1), to: Date.UTC(2026, 2, 29, 2) },
    ]) {
      const spans = offsetSpans(zone, period);
      const [from, to] = [period.from ?? Date.UTC(1970, 0), period.to ?? Date.UTC(2038, 0)];
      for (let at = from; at < to; at += (to - from) / 97) {
        expect(spans.find(({ until }) => at < until)?.minutes).toBe(Math.round(offsetAt(at, zone) / 60_000));
      }
      expect(spans.at(-1)?.until).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it("has the changes of a century at most, whatever the period", () => {
    const all = offsetSpans("Europe/Berlin", { from: Date.UTC(-5000, 0), to: Date.UTC(9999, 0) });
    expect(all.length).toBeLessThan(2 * 100 + 1);
    expect(offsetSpans("Europe/Berlin", { from: Date.UTC(5000, 0), to: Date.UTC(9999, 0) })).toEqual(all.slice(-1));
  });
});
