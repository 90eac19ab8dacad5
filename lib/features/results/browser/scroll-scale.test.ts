import { describe, expect, it } from "vitest";
import {
  followScroll,
  fromTrack,
  TRACK_PX_MAX,
  toTopMax,
  toTrack,
  toTrackPx,
} from "@/lib/features/results/browser/scroll-scale";

const million = { contentPx: 28_000_000, viewPx: 500 };
const thousand = { contentPx: 28_000, viewPx: 500 };

describe("scroll scale", () => {
  it("does not scale what a browser can hold", () => {
    expect(toTrackPx(thousand)).toBe(28_000);
    expect(followScroll(thousand, 100, 100, 20_000)).toBe(20_000);
    expect(toTrack(thousand, 12_345)).toBe(12_345);
  });

  it("keeps the track of a million rows within browser limits, aligned at both ends", () => {
    expect(toTrackPx(million)).toBe(TRACK_PX_MAX);
    expect(fromTrack(million, 0)).toBe(0);
    expect(fromTrack(million, TRACK_PX_MAX - million.viewPx)).toBe(toTopMax(million));
    expect(toTrack(million, toTopMax(million))).toBe(TRACK_PX_MAX - million.viewPx);
  });

  it("moves rows by the wheel's distance, and follows a dragged thumb", () => {
    expect(followScroll(million, 1_000_000, 300_000, 300_100)).toBe(1_000_100);
    const middle = (TRACK_PX_MAX - million.viewPx) / 2;
    expect(followScroll(million, 0, 0, middle)).toBe(toTopMax(million) / 2);
  });

  it("never leaves the content", () => {
    expect(followScroll(million, 50, 100, 0)).toBe(0);
    expect(followScroll(million, toTopMax(million) - 10, 5000, 5100)).toBe(toTopMax(million));
  });
});
