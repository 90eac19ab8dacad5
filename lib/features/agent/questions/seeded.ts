/** A table with its rows, for any engine. Dates and times are ISO text. */
export type SeedTable = { name: string; ddl: string; columns: string[]; rows: SeedValue[][] };
export type SeedValue = string | number | boolean | null;

/** Returns pseudo-random numbers, the same every time (mulberry32). */
export function seededRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    /** From low to high, both inclusive. */
    between: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)),
    /** Low numbers are more frequent, so that counts differ. */
    skewed: (size: number, power = 2) => Math.floor(next() ** power * size),
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
    chance: (share: number) => next() < share,
  };
}

const DAY_MS = 86_400_000;

/** Returns the date `days` after 2020-01-01, as "YYYY-MM-DD". */
export function dateText(days: number): string {
  return new Date(Date.UTC(2020, 0, 1) + Math.floor(days) * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the same with a time of day, "YYYY-MM-DD HH:MM:SS". */
export function timeText(days: number): string {
  const whole = new Date(Math.floor((Date.UTC(2020, 0, 1) + days * DAY_MS) / 1000) * 1000);
  return whole.toISOString().slice(0, 19).replace("T", " ");
}

/** Returns the statements that create and fill the tables. */
export function toSeedSql(tables: readonly SeedTable[], booleans: "words" | "numbers"): string[] {
  const literal = (value: SeedValue): string => {
    if (value === null) return "null";
    if (typeof value === "boolean") return booleans === "words" ? String(value) : value ? "1" : "0";
    return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
  };
  return tables.flatMap(({ name, ddl, columns, rows }) => [
    `create table ${name} (${ddl})`,
    ...(rows.length === 0
      ? []
      : [
          `insert into ${name} (${columns.join(", ")}) values\n${rows
            .map((row) => `(${row.map(literal).join(", ")})`)
            .join(",\n")}`,
        ]),
  ]);
}
