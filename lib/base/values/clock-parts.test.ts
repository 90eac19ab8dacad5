import { expect, it } from "vitest";
import { clockPartsOf, formatZoned } from "@/lib/base/values/clock-parts";

it("writes a moment as clocks and calendars of its zone show it", () => {
  const at = new Date("2026-09-06T22:00:05Z");
  expect(formatZoned(at, "Europe/Vienna")).toBe("Mon 7 Sep 2026, 00:00 Europe/Vienna");
  expect(formatZoned(at, "UTC")).toBe("Sun 6 Sep 2026, 22:00 UTC");
  expect(clockPartsOf(at, "UTC").second).toBe("05");
});
