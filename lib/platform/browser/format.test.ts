import { describe, expect, it } from "vitest";
import {
  formatClock,
  formatCountOf,
  formatCountShort,
  formatDuration,
  toInitials,
  toSize,
} from "@/lib/platform/browser/format";

describe("the words for numbers", () => {
  it("shortens only long counts in trees", () => {
    expect([180, 2000, 8400, 21_380, 684_000, 1_000_000, 1_900_000].map(formatCountShort)).toEqual([
      "180", "2,000", "8,400", "21 k", "684 k", "1 M", "1.9 M",
    ]); // biome-ignore format: in the order of the input
  });

  it("shows milliseconds below a second, seconds below a minute, then minutes", () => {
    expect([0.4, 214, 999.4, 1200, 125_000].map(formatDuration)).toEqual([
      "<1 ms",
      "214 ms",
      "999 ms",
      "1.2 s",
      "2 min 5 s",
    ]);
  });

  it("uses the singular for one row", () => {
    expect([0, 1, 1284].map((count) => formatCountOf(count, "row"))).toEqual(["0 rows", "1 row", "1,284 rows"]);
  });

  it("chooses the unit of a size", () => {
    expect([812, 2100, 3_400_000].map((n) => Object.values(toSize(n)).join(" "))).toEqual([
      "812 B",
      "2.1 KB",
      "3.4 MB",
    ]);
  });

  it("pads hours and minutes to two digits", () => {
    const at = new Date(2026, 10, 16, 9, 4, 7);
    expect(formatClock(at)).toBe("09:04:07");
    expect(formatClock(at, false)).toBe("09:04");
  });

  it("makes initials from names and addresses", () => {
    expect(["Ines Okafor", "ines", "ana.b@example.com", "", "Ömer de la Cruz"].map(toInitials)).toEqual([
      "IO",
      "I",
      "AB",
      "?",
      "ÖC",
    ]);
  });
});
