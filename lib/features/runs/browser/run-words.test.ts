import { describe, expect, it } from "vitest";
import { formatRowTime, toRunAdvice } from "@/lib/features/runs/browser/run-words";

describe("a time in a list", () => {
  const now = new Date(2026, 10, 22, 12, 0, 0);
  it("is a time today, otherwise a day, with the year if it differs", () => {
    expect(formatRowTime(new Date(2026, 10, 22, 7, 5, 9), now)).toBe("Today 07:05:09");
    expect(formatRowTime(new Date(2026, 10, 16, 7, 0), now)).toBe("Mon 16 Nov 07:00");
    expect(formatRowTime(new Date(2026, 8, 7, 7, 0), now)).toBe("Mon 7 Sep 07:00");
    expect(formatRowTime(new Date(2025, 10, 16, 7, 0), now)).toBe("16 Nov 2025 07:00");
  });
});

describe("advice for a failed run", () => {
  it.each([
    [
      "The schedule's owner is no longer a member. Save the schedule to run it as you.",
      /Save the schedule to run it as you/,
    ],
    ["The server was stopped while the query ran.", /Click Run now to retry/],
    ["The query took too long and was stopped after 900 s.", /Return fewer rows/],
    ["The database refused the password.", /Test and fix the connection/],
    ['Table "nowhere" does not exist', /Fix and save the query/],
  ])("%s", (error, advice) => expect(toRunAdvice(error)).toMatch(advice));
});
