/**
 * Returns whether two JSON values are equal. The order of keys does not matter, and undefined values count as missing.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [entriesOf(a), entriesOf(b)];
  return (
    left.size === right.size && [...left].every(([key, value]) => right.has(key) && isSameJson(value, right.get(key)))
  );
}

function entriesOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, each]) => each !== undefined));
}
