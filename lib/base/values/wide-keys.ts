/** Objects with more keys than this are slow to enumerate: every `Object.keys` sorts all of them. */
const WIDE_KEYS_MIN = 10_000;

const KEYS = new WeakMap<object, readonly string[]>();

/** Stores the keys of an object that is wide. The object must keep them. */
export function rememberKeys(object: object, keys: readonly string[]): void {
  if (keys.length > WIDE_KEYS_MIN) KEYS.set(object, keys);
}

/** Returns an object's own enumerable keys, without an enumeration if they were remembered. */
export function keysOf(object: object): readonly string[] {
  return KEYS.get(object) ?? Object.keys(object);
}
