import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeTip } from "@/lib/platform/browser/place-tip";

describe("placeTip", () => {
  it("is at the right of its point, or at the left near the window's edge", () => {
    expect(placeTip({ x: 100, y: 200 }, { width: 80, height: 40 }, { width: 400, height: 400 })).toEqual({
      left: 114,
      top: 180,
    });
    expect(placeTip({ x: 350, y: 200 }, { width: 80, height: 40 }, { width: 400, height: 400 }).left).toBe(256);
  });

  it("is never cut off in a window with room for it", () => {
    const px = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(px(390), px(844), px(374), px(400), (x, y, width, height) => {
        const { left, top } = placeTip({ x, y }, { width, height }, { width: 390, height: 844 });
        expect(left).toBeGreaterThanOrEqual(8);
        expect(top).toBeGreaterThanOrEqual(8);
        expect(left + width).toBeLessThanOrEqual(382);
        expect(top + height).toBeLessThanOrEqual(836);
      }),
    );
  });
});
