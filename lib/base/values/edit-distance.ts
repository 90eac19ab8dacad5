/**
 * Returns the number of edits between two words, where two swapped neighbours count as one edit (optimal string
 * alignment). Case matters; fold it before if it should not.
 */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/**
 * Returns the name nearest to a mistyped one, at most a third of its letters away. @returns null if none is near; names
 * that differ only in case are nearest
 */
export function findClosest(word: string, names: Iterable<string>): string | null {
  return findNear(word, names)[0] ?? null;
}

/** Returns the names near a mistyped one, as `findClosest` does: the nearest first, each once. */
export function findNear(word: string, names: Iterable<string>): string[] {
  const folded = word.toLowerCase();
  const limit = Math.max(1, Math.floor(word.length / 3));
  const near = new Map<string, number>();
  for (const name of names) {
    if (name === word || near.has(name) || Math.abs(name.length - word.length) > limit) continue;
    const distance = editDistance(folded, name.toLowerCase());
    if (distance <= limit) near.set(name, distance);
  }
  return [...near].sort(([, a], [, b]) => a - b).map(([name]) => name);
}
