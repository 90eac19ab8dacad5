import { describe, expect, it } from "vitest";
import { toExpiry } from "@/lib/features/accounts/browser/lifetimes";

const NOW = new Date(2026, 10, 21, 12, 0, 0);

describe("the expiry of a key", () => {
  it("is null for one that never expires", () => {
    expect(toExpiry("never", "", NOW)).toBeNull();
  });

  it("is the selected number of days away", () => {
    expect(toExpiry("30", "", NOW)).toBe(new Date(NOW.getTime() + 30 * 86_400_000).toISOString());
  });

  it("is the end of the selected day in the user's time zone", () => {
    expect(toExpiry("date", "2027-05-21", NOW)).toBe(new Date(2027, 4, 21, 23, 59, 59, 999).toISOString());
    expect(toExpiry("date", "2026-11-21", NOW)).toBe(new Date(2026, 10, 21, 23, 59, 59, 999).toISOString());
  });

  it("is rejected for an invalid or past day", () => {
    for (const day of ["", "2027-02-29", "21.5.2027"]) {
      expect(() => toExpiry("date", day, NOW)).toThrow("Select an expiry date");
    }
    expect(() => toExpiry("date", "2026-11-20", NOW)).toThrow("in the future");
  });
});
