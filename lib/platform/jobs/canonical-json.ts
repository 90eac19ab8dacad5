/**
 * Serialises JSON in its canonical form (RFC 8785), so that both sides of a signature compute the same text. Names are
 * in the order of their UTF-16 code units, without white space; numbers and strings are written as in ECMAScript.
 * @param value as JSON.parse returns it
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson((value as Record<string, unknown>)[name])}`);
  return `{${fields.join(",")}}`;
}
