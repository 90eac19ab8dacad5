/**
 * JSON in its one canonical form (RFC 8785): names in the order of their UTF-16 code units, no blanks, numbers and
 * texts as ECMAScript writes them. What both sides of a signature compute from the same value.
 * @param value as JSON.parse gives it
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson((value as Record<string, unknown>)[name])}`);
  return `{${fields.join(",")}}`;
}
