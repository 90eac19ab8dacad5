/** An unchecked object of JSON.parse: plans come from servers of every version. */
export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** @returns null for a value that is not a finite number, also as text */
export function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

export function textOf(value: unknown): string | null {
  if (typeof value === "string") return value === "" ? null : value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.map((item) => textOf(item) ?? JSON.stringify(item)).join(", ") || null;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** Returns "Key: value" for each fact of an engine that the head of a step does not show. */
export function detailsOf(source: Json, known: (key: string) => boolean): string[] {
  return Object.entries(source).flatMap(([key, value]) => {
    const text = known(key) ? null : textOf(value);
    return text === null ? [] : [`${key}: ${text}`];
  });
}

/** Maximum depth: deeper than any readable plan; the readers are recursive. */
const DEPTH_MAX = 400;

export function isTooDeep(value: unknown): boolean {
  const waiting: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth > DEPTH_MAX) return true;
    for (const inner of Object.values(next.value)) waiting.push({ value: inner, depth: next.depth + 1 });
  }
  return false;
}

/** Formats "HASH_GROUP_BY" as "Hash group by". */
export function toWords(name: string): string {
  const words = name.replaceAll("_", " ").trim().toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
