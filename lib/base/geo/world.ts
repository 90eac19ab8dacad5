import type { CellValue } from "@/lib/base/values/json-rows";
import world from "./world.json";

/** An outline in degrees, east and north in turn, and its extent. */
export type Ring = { points: readonly number[]; west: number; east: number; south: number; north: number };
export type Country = {
  /** ISO 3166 alpha-2. */
  code: string;
  name: string;
  /** Degrees east and north of its middle. */
  at: readonly [number, number];
  /** Empty for a country that is too small for the borders. */
  rings: readonly Ring[];
};

let decoded: { countries: readonly Country[]; land: readonly Ring[]; byName: ReadonlyMap<string, Country> } | null =
  null;

/** Returns all countries, and land without a code. Decoded at the first use. */
export function readWorld(): NonNullable<typeof decoded> {
  if (decoded !== null) return decoded;
  const byName = new Map<string, Country>();
  const countries = world.countries.map(({ codes, name, at, rings }): Country => {
    const [code = ""] = codes;
    return { code, name, at: [at[0] ?? 0, at[1] ?? 0], rings: rings.map(decode) };
  });
  for (const [index, { codes, name, also }] of world.countries.entries()) {
    const country = countries[index];
    if (country) for (const each of [...codes, name, ...also]) byName.set(toKey(each), country);
  }
  decoded = { countries, land: world.land.map(decode), byName };
  return decoded;
}

/**
 * Finds a country by its ISO 3166 code (alpha-2, alpha-3 or numeric) or English name, without regard to case, accents
 * and punctuation; null for any other value.
 */
export function findCountry(value: CellValue | undefined): Country | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const key = toKey(String(value));
  return readWorld().byName.get(/^\d{1,2}$/.test(key) ? key.padStart(3, "0") : key) ?? null;
}

function toKey(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replace(/&/g, " and ")
    .replace(/\bst\b\.?(?= )/g, "saint")
    .replace(/[\p{M}'’.]/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replace(/^the /, "");
}

/** Reads an outline that `scripts/world-map.mjs` wrote. */
function decode(text: string): Ring {
  const points: number[] = [];
  const before = [0, 0];
  let at = 0;
  while (at < text.length) {
    const axis = points.length % 2;
    let [value, shift, bits] = [0, 0, 0];
    do {
      bits = text.charCodeAt(at) - 63;
      value |= (bits & 31) << shift;
      shift += 5;
      at += 1;
    } while (bits >= 32);
    const next = (before[axis] ?? 0) + (value & 1 ? ~(value >> 1) : value >> 1);
    before[axis] = next;
    points.push(next / world.steps);
  }
  const [east, north] = [0, 1].map((axis) => points.filter((_, index) => index % 2 === axis)) as [number[], number[]];
  return {
    points,
    west: Math.min(...east),
    east: Math.max(...east),
    south: Math.min(...north),
    north: Math.max(...north),
  };
}
