import { describe, expect, it } from "vitest";
import { toBound } from "./period";

describe("toBound", () => {
  it("is the first moment of a day in the zone, and of the next day as an end", () => {
    expect(toBound("2026-03-29", "Europe/Berlin", false).instant).toBe(Date.parse("2026-03-28T23:00:00Z"));
    expect(toBound("2026-03-29", "Europe/Berlin", true).instant).toBe(Date.parse("2026-03-29T22:00:00Z"));
  });

  it.each(["2026-02-31", "2026-02-29T10:00:00", "2026-02-30T00:00:00Z", "2026-13-01", "2026-05-31T25:00"])(
    "finds that %s does not exist",
    (text) => expect(toBound(text, "Europe/Berlin", false)).toEqual({ local: Number.NaN, instant: Number.NaN }),
  );
});
