import { describe, expect, it } from "vitest";
import { formatAgo, formatDay, formatLeft, formatMoment, formatStamp } from "@/lib/platform/browser/format-time";

const NOW = new Date(2026, 10, 21, 12, 0, 0);
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const from = (ms: number) => new Date(NOW.getTime() + ms);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("a past time", () => {
  it("is relative for a day, then a date", () => {
    expect(formatAgo(ago(20_000), NOW)).toBe("just now");
    expect(formatAgo(ago(4 * MINUTE), NOW)).toBe("4 min ago");
    expect(formatAgo(ago(DAY - 1), NOW)).toBe("23 h ago");
    expect(formatAgo(ago(5 * DAY + 5 * HOUR), NOW)).toBe("16 Nov 07:00");
  });

  it("shows the year in other years", () => {
    expect(formatAgo(new Date(2025, 2, 12), NOW)).toBe("12 Mar 2025");
    expect(formatDay(new Date(2026, 0, 2))).toBe("2 Jan 2026");
    expect(formatStamp(new Date(2026, 8, 2, 7, 5, 9))).toMatch(/^2 Sep 2026, 07:05:09 \S+$/);
  });

  it("is never in the future, even if the server's clock is ahead", () => {
    expect(formatAgo(from(90_000), NOW)).toBe("just now");
  });
});

describe("the remaining time", () => {
  it("is rounded to the nearest whole unit, so that a week is not six days", () => {
    expect(formatLeft(from(7 * DAY - 1000), NOW)).toBe("7 days");
    expect(formatLeft(from(5 * DAY + 11 * HOUR), NOW)).toBe("5 days");
    expect(formatLeft(from(DAY), NOW)).toBe("1 day");
    expect(formatLeft(from(HOUR + 29 * MINUTE), NOW)).toBe("1 hour");
    expect(formatLeft(from(1000), NOW)).toBe("1 minute");
  });

  it("is null after the end", () => {
    expect(formatLeft(NOW, NOW)).toBeNull();
  });
});

describe("a future time", () => {
  it("shows its day, with words for today and tomorrow", () => {
    expect(formatMoment(from(HOUR), NOW)).toBe("today 13:00");
    expect(formatMoment(from(13 * HOUR), NOW)).toBe("tomorrow 01:00");
    expect(formatMoment(from(5 * DAY), NOW)).toBe("26 Nov 12:00");
    expect(formatMoment(from(60 * DAY), NOW)).toBe("20 Jan 2027 12:00");
  });
});
