import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CellLook, toPadding, toScale, toShownText, toTimesLook } from "@/lib/base/values/cell-look";

const TIME = { name: "at", type: "timestamptz" };
const PRICE = { name: "price", type: "decimal" };
const look = (change: Partial<CellLook> = {}): CellLook => ({ digits: "grouped", times: "local", ...change });

describe("the look of a cell", () => {
  const before = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = "Europe/Lisbon";
  });
  afterEach(() => {
    process.env.TZ = before;
  });

  test("shows times in the device's zone, in summer and winter, with all digits", () => {
    expect(toShownText("2026-07-14T23:22:41.123456Z", TIME, look())).toBe("2026-07-15 00:22:41.123456");
    expect(toShownText("2026-11-14T18:22:41Z", TIME, look())).toBe("2026-11-14 18:22:41");
    expect(toShownText("2026-07-14T23:22:41Z", TIME, look({ times: "utc" }))).toBe("2026-07-14 23:22:41");
    expect(toShownText("2026-07-14T23:22:41Z", TIME, look({ times: "raw" }))).toBe("2026-07-14T23:22:41Z");
  });

  test("shows times in a selected zone", () => {
    // A zone with half an hour, and the other side of the date line.
    expect(toShownText("2026-07-14T23:22:41.5Z", TIME, look({ times: "Asia/Kolkata" }))).toBe("2026-07-15 04:52:41.5");
    expect(toShownText("2026-01-14T09:00:00Z", TIME, look({ times: "Pacific/Honolulu" }))).toBe("2026-01-13 23:00:00");
    expect([toTimesLook("europe/lisbon"), toTimesLook("raw"), toTimesLook("Mars/Olympus"), toTimesLook(7)]).toEqual([
      "Europe/Lisbon",
      "raw",
      null,
      null,
    ]);
  });

  test("keeps times without a zone, and values that are not times", () => {
    expect(toShownText("2026-07-14T23:22:41", { name: "at", type: "timestamp" }, look())).toBe("2026-07-14 23:22:41");
    expect(toShownText("infinity", TIME, look())).toBe("infinity");
    expect(toShownText("2026-07-14T23:22:41Z", { name: "text", type: "string" }, look())).toBe("2026-07-14T23:22:41Z");
  });

  test("aligns the decimal points of a column, without adding digits", () => {
    const values = ["1148.5", "2", null, "0.125"];
    const scale = toScale(PRICE, values);
    const shown = values.map((value) => toShownText(value, PRICE, look()));
    expect(shown.map((text) => text + toPadding(text, PRICE, scale))).toEqual(["1,148.5  ", "2    ", "", "0.125"]);
    expect(toShownText("1148.5", PRICE, look({ digits: "plain" }))).toBe("1148.5");
  });
});
