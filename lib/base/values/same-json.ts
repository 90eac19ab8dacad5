/** Whether two values of JSON say the same, whatever the order of their names; what is undefined is not there. */
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
