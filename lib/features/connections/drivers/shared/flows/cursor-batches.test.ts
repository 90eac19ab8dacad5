import { describe, expect, it } from "vitest";
import type { Batch, WireValue } from "@/lib/base/values/fields";
import { type CursorCheckpoint, cursorBatches, SEEN_MAX } from "./cursor-batches";

async function* inBatches(rows: readonly WireValue[][], size = 1000): AsyncGenerator<Batch> {
  for (let at = 0; at < rows.length; at += size) {
    const part = rows.slice(at, at + size);
    yield { rowCount: part.length, columns: [0, 1].map((index) => part.map((row) => row[index] ?? null)) };
  }
}

async function run(rows: readonly WireValue[][], from: CursorCheckpoint | null, key: number[], batchRows = 5000) {
  const found: { rows: number; checkpoint: CursorCheckpoint }[] = [];
  const columns = { cursor: 0, cursorType: "decimal" as const, key };
  for await (const batch of cursorBatches(inBatches(rows), columns, { width: 2, batchRows, from })) {
    found.push({ rows: batch.rowCount, checkpoint: batch.checkpoint as CursorCheckpoint });
  }
  return found;
}

describe("checkpoints of a cursor", () => {
  it("list the rows of a value if they are few, and the last one otherwise", async () => {
    const rows = Array.from({ length: SEEN_MAX + 10 }, (_, id): WireValue[] => ["1.0", id]);
    const found = await run(rows, null, [1]);
    expect(found[0]?.checkpoint.seen).toHaveLength(5000);
    expect(found.at(-1)?.checkpoint).toEqual({ value: "1.0", key: [SEEN_MAX + 9] });
    const next = await run([["1.0", SEEN_MAX + 10]], found.at(-1)?.checkpoint ?? null, [1]);
    expect(next.map((batch) => [batch.rows, batch.checkpoint.key])).toEqual([[1, [SEEN_MAX + 10]]]);
  });

  it("treat decimals as equal that differ in trailing zeros", async () => {
    const [first] = await run([["1.0", 1], ["1.00", 2]], null, [1]); // biome-ignore format: two rows
    expect(first?.checkpoint.seen).toHaveLength(2);
    const again = await run([["1.0", 1], ["1.00", 2], ["1.000", 3]], first?.checkpoint ?? null, [1]); // biome-ignore format: three rows
    expect(again.map(({ rows }) => rows)).toEqual([1]);
    expect(again[0]?.checkpoint.seen).toHaveLength(3);
  });

  it("reject a value with more rows than can be told apart without a key", async () => {
    const rows = Array.from({ length: 100_002 }, (): WireValue[] => ["1", 0]);
    await expect(run(rows, null, [])).rejects.toMatchObject({ kind: "invalid_request" });
  });

  it.each([
    ["float64", ["NaN", "Infinity", "-Infinity"], [-1.5, 0, 1e308]],
    ["decimal", ["NaN", "Infinity", "-Infinity"], ["-1", "99999999999999999999"]],
    ["date", ["infinity", "-infinity"], ["-000043-03-15", "0000-01-01", "9999-12-31", "+010000-01-01"]],
    ["timestamp", ["infinity", "-infinity"], ["-000043-03-15T00:00:00", "9999-12-31T23:59:59.999999"]],
    ["timestamptz", ["infinity", "-infinity"], ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]],
    ["string", [], ["Infinity", "NaN", "infinity"]],
    ["int64", [], [0, "9223372036854775807"]],
  ] as const)(
    "C18 skip infinite values of %s and keep them out of the checkpoint",
    async (cursorType, endless, finite) => {
      for (const key of [[], [1]]) {
        const rows = [...finite, ...endless].map((value, id): WireValue[] => [value, id]);
        const columns = { cursor: 0, cursorType, key };
        const found = [];
        for await (const batch of cursorBatches(inBatches(rows), columns, { width: 2, batchRows: 100, from: null })) {
          found.push({ ids: batch.columns[1], skipped: batch.skipped, ...(batch.checkpoint as CursorCheckpoint) });
        }
        expect(found).toHaveLength(1);
        expect(found[0]?.ids).toEqual(finite.map((_, id) => id));
        expect([found[0]?.skipped ?? 0, found[0]?.value]).toEqual([endless.length, finite.at(-1)]);
        for (const value of endless) {
          const reading = cursorBatches(inBatches(rows), columns, { width: 2, batchRows: 100, from: { value } });
          await expect(reading.next()).rejects.toThrow(/is above every later row/);
        }
      }
    },
  );

  it("C18 are kept if all new values are infinite", async () => {
    const from = { value: 5, seen: [] };
    const columns = { cursor: 0, cursorType: "float64" as const, key: [1] };
    const found = [];
    for await (const batch of cursorBatches(inBatches([["NaN", 1]]), columns, { width: 2, batchRows: 100, from })) {
      found.push([batch.rowCount, batch.skipped, batch.checkpoint]);
    }
    expect(found).toEqual([[0, 1, from]]);
  });

  it.each([
    [
      "a key, and infinity behind a full batch",
      [1],
      [
        [6, 1],
        [7, 2],
        ["Infinity", 3],
      ],
      2,
    ],
    [
      "a key, and NaN behind two full batches",
      [1],
      [
        [6, 1],
        [7, 2],
        [8, 3],
        [9, 4],
        ["NaN", 5],
      ],
      2,
    ],
    [
      "a key, and several endless values",
      [1],
      [
        [6, 1],
        ["Infinity", 2],
        ["NaN", 3],
      ],
      1,
    ],
    [
      "a key, and rows behind the full batch",
      [1],
      [
        [6, 1],
        [7, 2],
        [8, 3],
        ["NaN", 4],
      ],
      2,
    ],
    [
      "no key",
      [],
      [
        [6, 1],
        [7, 2],
        ["Infinity", 3],
      ],
      1,
    ],
  ] as [string, number[], WireValue[][], number][])("C18 never move back: %s", async (_, key, rows, batchRows) => {
    const columns = { cursor: 0, cursorType: "float64" as const, key };
    const read = async (from: CursorCheckpoint) => {
      const found = [];
      for await (const batch of cursorBatches(inBatches(rows), columns, { width: 2, batchRows, from }))
        found.push(batch);
      return found;
    };
    const found = await read({ value: 5, seen: [] });
    const finite = rows.filter(([value]) => typeof value === "number");
    expect(found.reduce((sum, batch) => sum + batch.rowCount, 0)).toBe(finite.length);
    const values = found.map((batch) => Number((batch.checkpoint as CursorCheckpoint).value));
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(values.at(-1)).toBe(finite.at(-1)?.[0]);
  });

  it.each([
    ["100", "100.0"], ["100.0", "100"], ["100.00", "100.0"], ["0", "0.0"], ["-5", "-5.000"], ["1.10", "1.1"], ["1.1", "1.100"],
    ["12345678901234567890", "12345678901234567890.0"], ["-0.50", "-0.5"], ["10", "10.00"],
  ])("C18 do not read a row again when its decimal changes from %s to %s", async (before, after) => {
    const [first] = await run([[before, 1]], null, [1]);
    expect(await run([[after, 1]], first?.checkpoint ?? null, [1])).toEqual([]);
  }); // biome-ignore format: pairs

  it.each([
    ["100", "10"], ["100", "1000"], ["100.0", "10.0"], ["1.01", "1.1"], ["10.5", "1.5"], ["0.10", "10"],
  ])("C18 tell the decimals %s and %s apart", async (before, after) => {
    const [first] = await run([[before, 1]], null, [1]);
    expect((await run([[after, 1]], first?.checkpoint ?? null, [1])).map(({ rows }) => rows)).toEqual([1]);
  }); // biome-ignore format: pairs
});
