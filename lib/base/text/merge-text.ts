import { diffLines, type Hunk, splitLines } from "./line-diff";

/**
 * Merges two versions of one text by lines.
 * @returns null if both sides changed the same or adjoining lines differently
 */
export function mergeText(base: string, ours: string, theirs: string): string | null {
  const lines = { base: splitLines(base), ours: splitLines(ours), theirs: splitLines(theirs) };
  const changes = [
    ...diffLines(lines.base, lines.ours).map((hunk) => ({ hunk, side: "ours" as const })),
    ...diffLines(lines.base, lines.theirs).map((hunk) => ({ hunk, side: "theirs" as const })),
  ].sort((p, q) => p.hunk.aStart - q.hunk.aStart || p.hunk.aEnd - q.hunk.aEnd);

  const out: string[] = [];
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
    out.push(lines.base.slice(at, start).join(""));
    at = end;
    const mine = regionText(lines.base, lines.ours, ours, start, end);
    const other = regionText(lines.base, lines.theirs, theirs, start, end);
    if (theirs.length === 0) out.push(mine);
    else if (ours.length === 0 || mine === other) out.push(other);
    else return null;
  }
  out.push(lines.base.slice(at).join(""));
  return out.join("");
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
