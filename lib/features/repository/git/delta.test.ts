import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { applyDelta, commonEnds, deltaSizes, middleDelta } from "./delta";

const COPY_HEAD = 8;

describe("a delta", () => {
  const long = randomBytes(200_000);
  const cases: [string, Buffer, Buffer][] = [
    ["of equal texts", long, long],
    [
      "of a change in the middle",
      long,
      Buffer.concat([long.subarray(0, 70_000), randomBytes(300), long.subarray(70_020)]),
    ],
    ["of an addition at the end", long, Buffer.concat([long, Buffer.from("x")])],
    ["of an addition at the beginning", long, Buffer.concat([Buffer.from("x"), long])],
    ["of a removal", long, Buffer.concat([long.subarray(0, 5), long.subarray(199_990)])],
    ["of nothing", Buffer.alloc(0), Buffer.from("abc")],
    ["to nothing", Buffer.from("abc"), Buffer.alloc(0)],
    ["of texts that overlap with themselves", Buffer.from("aaaa"), Buffer.from("aaaaaa")],
  ];
  it.each(cases)("%s restores the target", (_, base, target) => {
    const delta = middleDelta(base, target);
    expect(applyDelta(base, delta)?.equals(target)).toBe(true);
    expect(deltaSizes(delta)).toMatchObject({ base: base.length, target: target.length });
  });

  it("of one entry of a large folder takes some dozens of bytes", () => {
    const target = Buffer.from(long);
    randomBytes(20).copy(target, 100_000);
    expect(middleDelta(long, target).length).toBeLessThan(20 + 5 * COPY_HEAD);
  });

  it("is rejected if truncated, out of range or for another base", () => {
    const delta = middleDelta(long, Buffer.concat([long, Buffer.from("xyz")]));
    for (let length = 0; length < delta.length; length++)
      expect(applyDelta(long, delta.subarray(0, length))).toBeNull();
    expect(applyDelta(long.subarray(1), delta)).toBeNull();
    // Base of 4 bytes, result of 4 bytes, and a copy of 4 from offset 1.
    expect(applyDelta(Buffer.from("abcd"), Buffer.of(4, 4, 0x91, 1, 4))).toBeNull();
    expect(applyDelta(Buffer.from("abcd"), Buffer.of(4, 4, 0))).toBeNull();
  });

  it("counts each byte once if prefix and suffix overlap", () => {
    expect(commonEnds(Buffer.from("aaa"), Buffer.from("aaaa"))).toEqual({ start: 3, end: 0 });
    expect(commonEnds(Buffer.from("abcd"), Buffer.from("abXcd"))).toEqual({ start: 2, end: 2 });
  });
});
