import { diffLines, type Hunk, splitLines } from "./line-diff";

/** A merge of two versions of one text. */
export type MergedSides = {
  /** The merged text with our lines where both sides changed the same or adjoining lines differently. */
  ours: string;
  /** The same with their lines. */
  theirs: string;
  /** Number of these places. Without any, both texts are equal. */
  conflicts: number;
};

/**
 * Merges two versions of one text by lines.
 * @returns null if both sides changed the same or adjoining lines differently
 */
export function mergeText(base: string, ours: string, theirs: string): string | null {
  const sides = mergeSides(base, ours, theirs);
  return sides.conflicts === 0 ? sides.ours : null;
}

/** Merges two versions of one text by lines, and keeps both sides where they conflict. */
export function mergeSides(base: string, ours: string, theirs: string): MergedSides {
  const lines = { base: splitLines(base), ours: splitLines(ours), theirs: splitLines(theirs) };
  const changes = [
    ...diffLines(lines.base, lines.ours).map((hunk) => ({ hunk, side: "ours" as const })),
    ...diffLines(lines.base, lines.theirs).map((hunk) => ({ hunk, side: "theirs" as const })),
  ].sort((p, q) => p.hunk.aStart - q.hunk.aStart || p.hunk.aEnd - q.hunk.aEnd);

  const out = { ours: [] as string[], theirs: [] as string[] };
  const add = (mine: string, other = mine) => {
    out.ours.push(mine);
    out.theirs.push(other);
  };
  let conflicts = 0;
  let at = 0;
  for (let index = 0; index < changes.length; ) {
    const ours: Hunk[] = [];
    const theirs: Hunk[] = [];
    let end = changes[index]?.hunk.aEnd ?? 0;
    const start = changes[index]?.hunk.aStart ?? 0;
    // Changes that touch are one region: their order would be ambiguous.
    for (let next = changes[index]; next && next.hunk.aStart <= end; next = changes[++index]) {
      (next.side === "ours" ? ours : theirs).push(next.hunk);
      end = Math.max(end, next.hunk.aEnd);
    }
    add(lines.base.slice(at, start).join(""));
    at = end;
    const mine = regionText(lines.base, lines.ours, ours, start, end);
    const other = regionText(lines.base, lines.theirs, theirs, start, end);
    if (theirs.length === 0) add(mine);
    else if (ours.length === 0 || mine === other) add(other);
    else {
      conflicts++;
      add(mine, other);
    }
  }
  add(lines.base.slice(at).join(""));
  return { ours: out.ours.join(""), theirs: out.theirs.join(""), conflicts };
}

/** Returns one side's text for the base lines `start..end`. */
function regionText(base: string[], side: string[], hunks: Hunk[], start: number, end: number): string {
  const out: string[] = [];
  let at = start;
  for (const { aStart, aEnd, bStart, bEnd } of hunks) {
    out.push(base.slice(at, aStart).join(""), side.slice(bStart, bEnd).join(""));
    at = aEnd;
  }
  out.push(base.slice(at, end).join(""));
  return out.join("");
}
