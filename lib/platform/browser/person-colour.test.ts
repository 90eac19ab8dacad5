import { describe, expect, it } from "vitest";
import { toPersonColour } from "@/lib/platform/browser/person-colour";

/** Returns ids as a server creates them: consecutive, with a gap of `made` per user, seconds apart. */
const idsOf = (made: number, seconds = 0) =>
  Array.from(
    { length: 600 },
    (_, n) => `${(0x6b03788e + n * seconds).toString(16)}a03ca540b2${(0xa24204 + n * made).toString(16)}`,
  );
const ids = idsOf(1);

/** WCAG 2.2, relative luminance. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

describe("a person's colour", () => {
  it("is stable, and evenly spread over people who joined in sequence", () => {
    const counts = new Map<string, number>();
    for (const id of ids) {
      expect(toPersonColour(id)).toBe(toPersonColour(id));
      counts.set(toPersonColour(id), (counts.get(toPersonColour(id)) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    // A sixth is 100.
    for (const count of counts.values()) expect(Math.abs(count - 100)).toBeLessThan(50);
  });

  it.each([1, 2, 5, 6, 7, 12, 16])(
    "equals the previous person's no more often than by chance: %i IDs a person",
    (made) => {
      for (const seconds of [0, 1, 7, 3600]) {
        const colours = idsOf(made, seconds).map(toPersonColour);
        const same = colours.filter((colour, n) => colour === colours[n - 1]).length;
        // A sixth is 100.
        expect(same).toBeLessThan(150);
      }
    },
  );

  it("has a contrast of 4.5:1 with white letters", () => {
    for (const colour of new Set(ids.map(toPersonColour))) {
      expect(1.05 / (luminance(colour) + 0.05)).toBeGreaterThanOrEqual(4.5);
    }
  });
});
