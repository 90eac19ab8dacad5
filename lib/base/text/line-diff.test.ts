// @module-tag heavy
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines, splitLines } from "./line-diff";

function apply(a: string[], b: string[]): string[] {
  const out: string[] = [];
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(a, b)) {
    for (let i = at; i < aStart; i++) out.push(a[i] ?? "");
    for (let j = bStart; j < bEnd; j++) out.push(b[j] ?? "");
    at = aEnd;
  }
  for (let i = at; i < a.length; i++) out.push(a[i] ?? "");
  return out;
}

/** Returns the length of the longest common subsequence, by the slow, plain algorithm. */
function commonLength(a: string[], b: string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    for (const [j, y] of b.entries()) {
      next.push(x === y ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d\n"), { maxLength: 30 });

describe("line diff", () => {
  it("turns one text into the other with the fewest lines", () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        expect(apply(a, b)).toEqual(b);
        const removed = diffLines(a, b).reduce((sum, { aStart, aEnd }) => sum + aEnd - aStart, 0);
        expect(a.length - removed).toBe(commonLength(a, b));
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps a line between two ranges", () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const hunks = diffLines(a, b);
        for (const [index, hunk] of hunks.entries()) {
          const next = hunks[index + 1];
          if (next) expect(next.aStart).toBeGreaterThan(hunk.aEnd);
        }
      }),
    );
  });

  it("stays correct and fast with too many edits for an exact search", () => {
    const a = Array.from({ length: 60_000 }, (_, i) => `a ${(i * 7919) % 60_000}\n`);
    const b = Array.from({ length: 60_000 }, (_, i) =>
      i % 10 === 0 ? `a ${(i * 7919) % 60_000}\n` : `b ${i % 500}\n`,
    );
    const kept = a.length - diffLines(a, b).reduce((sum, { aStart, aEnd }) => sum + aEnd - aStart, 0);
    expect(apply(a, b)).toEqual(b);
    // Every tenth line occurs once on both sides, so all of them are found.
    expect(kept).toBe(6_000);
  });

  it("replaces texts without common lines", () => {
    const a = Array.from({ length: 5_000 }, (_, i) => `a ${i}\n`);
    const b = Array.from({ length: 5_000 }, (_, i) => `b ${i}\n`);
    expect(diffLines(a, b)).toEqual([{ aStart: 0, aEnd: 5_000, bStart: 0, bEnd: 5_000 }]);
  });

  it("keeps line endings, so that a missing last one counts", () => {
    expect(splitLines("a\r\nb\n\nc")).toEqual(["a\r\n", "b\n", "\n", "c"]);
    expect(splitLines("")).toEqual([]);
    expect(splitLines("\n")).toEqual(["\n"]);
  });
});
