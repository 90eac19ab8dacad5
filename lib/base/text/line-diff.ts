/** A run of lines that differs: `a[aStart..aEnd)` was replaced by `b[bStart..bEnd)`. */
export type Hunk = { aStart: number; aEnd: number; bStart: number; bEnd: number };

/**
 * Maximum number of edits searched for exactly in one region, before it is cut at lines that occur once on both sides.
 * Limits the work for a region to about a million steps for any input (T105).
 */
const EXACT_EDITS_MAX = 1_000;

/** Splits text into lines with their line ends, so that a missing one at the end of a file is a difference. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Returns the differing runs between two lists of lines, in order; no two of them touch. */
export function diffLines(a: readonly string[], b: readonly string[]): Hunk[] {
  const numbers = new Map<string, number>();
  const toNumbers = (lines: readonly string[]) => {
    const out = new Int32Array(lines.length);
    for (const [index, line] of lines.entries()) {
      let number = numbers.get(line);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(line, number);
      }
      out[index] = number;
    }
    return out;
  };
  const isKept = { a: new Uint8Array(a.length), b: new Uint8Array(b.length) };
  const left = toNumbers(a);
  const right = toNumbers(b);
  const regions: Hunk[] = [{ aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length }];
  for (let region = regions.pop(); region; region = regions.pop()) {
    const core = trimRegion(left, right, region, isKept);
    if (core.aStart === core.aEnd || core.bStart === core.bEnd) continue;
    if (markExact(left, right, core, isKept)) continue;
    // No anchors: the whole region stays one replaced run, which is correct but not minimal.
    for (const part of cutAtAnchors(left, right, core, isKept)) regions.push(part);
  }
  return toHunks(isKept.a, isKept.b);
}

type Kept = { a: Uint8Array; b: Uint8Array };

/** Marks the equal lines at both ends as kept and returns the region between them. */
function trimRegion(a: Int32Array, b: Int32Array, region: Hunk, kept: Kept): Hunk {
  let { aStart, aEnd, bStart, bEnd } = region;
  while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
    kept.a[aStart++] = 1;
    kept.b[bStart++] = 1;
  }
  while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
    kept.a[--aEnd] = 1;
    kept.b[--bEnd] = 1;
  }
  return { aStart, aEnd, bStart, bEnd };
}

/**
 * Runs Myers' greedy search for the shortest edit. Returns false, with nothing marked, if it needs more edits than
 * allowed.
 */
function markExact(a: Int32Array, b: Int32Array, { aStart, aEnd, bStart, bEnd }: Hunk, kept: Kept): boolean {
  const n = aEnd - aStart;
  const m = bEnd - bStart;
  const limit = Math.min(n + m, EXACT_EDITS_MAX);
  const middle = limit + 1;
  const furthest = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    // Row `edits` stores the reach of the row before, on the diagonals -edits..edits.
    trace.push(furthest.slice(middle - edits, middle + edits + 1));
    for (let k = -edits; k <= edits; k += 2) {
      const down = furthest[middle + k + 1] ?? 0;
      const across = (furthest[middle + k - 1] ?? 0) + 1;
      let x = k === -edits || (k !== edits && across <= down) ? down : across;
      let y = x - k;
      while (x < n && y < m && a[aStart + x] === b[bStart + y]) {
        x++;
        y++;
      }
      furthest[middle + k] = x;
      if (x >= n && y >= m) {
        markPath(trace, edits, n, m, (i, j) => {
          kept.a[aStart + i] = 1;
          kept.b[bStart + j] = 1;
        });
        return true;
      }
    }
  }
  return false;
}

/** Walks the search back from the end and reports every pair of equal lines. */
function markPath(trace: Int32Array[], edits: number, n: number, m: number, keep: (i: number, j: number) => void) {
  let x = n;
  let y = m;
  for (let d = edits; d > 0; d--) {
    const row = trace[d] ?? new Int32Array(0);
    const k = x - y;
    const down = row[k + 1 + d] ?? 0;
    const across = (row[k - 1 + d] ?? 0) + 1;
    const isDown = k === -d || (k !== d && across <= down);
    const startX = isDown ? down : across;
    const startY = startX - k;
    while (x > startX && y > startY) keep(--x, --y);
    if (isDown) y = startY - 1;
    else x = startX - 1;
  }
  while (x > 0 && y > 0) keep(--x, --y);
}

/** Returns the regions between lines that occur once on both sides and in the same order; empty without such a line. */
function cutAtAnchors(a: Int32Array, b: Int32Array, region: Hunk, kept: Kept): Hunk[] {
  const places = new Map<number, { inA: number; inB: number; countA: number; countB: number }>();
  const placeOf = (line: number) => {
    let place = places.get(line);
    if (!place) {
      place = { inA: 0, inB: 0, countA: 0, countB: 0 };
      places.set(line, place);
    }
    return place;
  };
  for (let i = region.aStart; i < region.aEnd; i++) {
    const place = placeOf(a[i] ?? -1);
    place.countA++;
    place.inA = i;
  }
  for (let j = region.bStart; j < region.bEnd; j++) {
    const place = placeOf(b[j] ?? -1);
    place.countB++;
    place.inB = j;
  }
  const unique = [...places.values()].filter(({ countA, countB }) => countA === 1 && countB === 1);
  const anchors = longestRising(unique.sort((p, q) => p.inA - q.inA));
  if (anchors.length === 0) return [];
  const regions: Hunk[] = [];
  let aStart = region.aStart;
  let bStart = region.bStart;
  for (const { inA, inB } of anchors) {
    kept.a[inA] = 1;
    kept.b[inB] = 1;
    regions.push({ aStart, aEnd: inA, bStart, bEnd: inB });
    aStart = inA + 1;
    bStart = inB + 1;
  }
  regions.push({ aStart, aEnd: region.aEnd, bStart, bEnd: region.bEnd });
  return regions;
}

/** Returns the longest sub-list with rising `inB`, by patience sorting. */
function longestRising<T extends { inB: number }>(list: T[]): T[] {
  type Link = { item: T; before: Link | undefined };
  const tops: Link[] = [];
  for (const item of list) {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((tops[mid]?.item.inB ?? 0) < item.inB) low = mid + 1;
      else high = mid;
    }
    tops[low] = { item, before: tops[low - 1] };
  }
  const out: T[] = [];
  for (let link = tops.at(-1); link; link = link.before) out.push(link.item);
  return out.reverse();
}

function toHunks(keptA: Uint8Array, keptB: Uint8Array): Hunk[] {
  const hunks: Hunk[] = [];
  let i = 0;
  let j = 0;
  while (i < keptA.length || j < keptB.length) {
    const aStart = i;
    const bStart = j;
    while (i < keptA.length && keptA[i] === 0) i++;
    while (j < keptB.length && keptB[j] === 0) j++;
    if (i > aStart || j > bStart) hunks.push({ aStart, aEnd: i, bStart, bEnd: j });
    else {
      i++;
      j++;
    }
  }
  return hunks;
}
