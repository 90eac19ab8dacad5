// @module-tag heavy
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { tableFromIPC } from "apache-arrow";
import { afterAll, expect, it, vi } from "vitest";
import type { Batch, Field, FieldType, WireValue } from "@/lib/base/values/fields";
import { memoryInUse } from "@/test/retained-memory";
import { arrow } from "./arrow";
import { byteStream } from "./byte-stream";
import { type SettledFormat, settleTypes } from "./settle";

const dataDir = mkdtempSync(path.join(tmpdir(), "settle-"));
vi.mock("@/lib/platform/env", () => ({ env: () => ({ DATA_DIR: dataDir }) }));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const fieldOf = (type: FieldType, dbType: string = type): Field => ({ name: "v", type, dbType });

async function* batchesOf(...columns: WireValue[][]): AsyncGenerator<Batch, void> {
  for (const column of columns) yield { rowCount: column.length, columns: [column] };
}

/** Returns the values that an Arrow reader finds, and the type of the column. */
async function read(field: Field, ...columns: WireValue[][]): Promise<[type: string, values: unknown[]]> {
  const settled = await settleTypes("arrow", [field], batchesOf(...columns), { loose: "all" });
  const stream = byteStream(settled.batches, arrow(settled.fields), null, () => undefined);
  const table = tableFromIPC(new Uint8Array(await new Response(stream).arrayBuffer()));
  return [String(table.schema.fields[0]?.type), table.toArray().map((row) => row.toJSON().v)];
}

it.each([
  ["keeps integers as integers", "int64", [[1, "9223372036854775807"], [null]], "Int64", [1n, 9223372036854775807n, null]],
  ["widens an integer column for late text", "int64", [[1], ["N/A"]], "Utf8", ["1", "N/A"]],
  ["widens an integer column for a late fraction", "int64", [[1], [1.5]], "Utf8", ["1", "1.5"]],
  ["widens an integer column beyond int64", "int64", [[1], ["18446744073709551615"]], "Utf8", ["1", "18446744073709551615"]],
  ["widens a float column for an integer that no double holds", "float64", [[0.5], ["9007199254740993"]], "Utf8", ["0.5", "9007199254740993"]],
  ["keeps what is no number of a float column", "float64", [[-0, "NaN"], ["-Infinity"]], "Float64", [-0, Number.NaN, Number.NEGATIVE_INFINITY]],
  ["keeps negative zero as text", "float64", [[-0], ["x"]], "Utf8", ["-0", "x"]],
  ["widens a boolean column", "boolean", [[true, null], [2]], "Utf8", ["true", null, "2"]],
  ["widens a column of bytes for text", "binary", [["AP8="], ["text!"]], "Utf8", ["AP8=", "text!"]],
  ["takes a column of nulls", "int32", [[null], [null]], "Int32", [null, null]],
  ["takes no rows", "int32", [[]], "Int32", []],
  ["takes lists and objects as JSON", "other", [[{ a: [1] }], ["x"]], "Utf8", ['{"a":[1]}', "x"]],
] as [string, FieldType, WireValue[][], string, unknown[]][])("C8 %s", async (_, type, columns, kind, values) => {
  expect(await read(fieldOf(type), ...columns)).toEqual([kind, values]);
}); // biome-ignore format: a table

it("C8 has unsigned 64-bit integers as such", async () => {
  for (const dbType of [
    "bigint unsigned",
    "bigint(20) unsigned zerofill",
    "UBIGINT",
    "UInt64",
    "Nullable(UInt64)",
    "LowCardinality(Nullable(UInt64))",
    "xid8",
  ]) {
    const [type, values] = await read(fieldOf("int64", dbType), ["18446744073709551615", 0]);
    expect([dbType, type, values]).toEqual([dbType, "Uint64", [18446744073709551615n, 0n]]);
  }
});

it("C8 reads nothing ahead if every value fits its column's type", async () => {
  let reads = 0;
  const endless = (async function* (): AsyncGenerator<Batch, void> {
    for (;;) {
      reads += 1;
      yield { rowCount: 1, columns: [["2026-01-01"]] };
    }
  })();
  const { batches } = await settleTypes("parquet", [fieldOf("date")], endless, { loose: ["timestamp"] });
  expect(reads).toBe(0);
  await batches.return?.();
});

it("C8 reads as many rows as requested, and ends the statement", async () => {
  let isEnded = false;
  const endless = (async function* (): AsyncGenerator<Batch, void> {
    try {
      for (;;) yield { rowCount: 2, columns: [[1, "x"]] };
    } finally {
      isEnded = true;
    }
  })();
  const settled = await settleTypes("arrow", [fieldOf("int64")], endless, { loose: "all", limit: 3 });
  expect(isEnded).toBe(true);
  const counts: number[] = [];
  for await (const { rowCount } of settled.batches) counts.push(rowCount);
  expect(counts).toEqual([2, 1]);
});

it("C8 stores a large result in an unnamed file, in order", async () => {
  const text = "x".repeat(512 * 1024);
  const columns = Array.from({ length: 40 }, (_, index): WireValue[] => [`${index}${text}`]);
  const settled = await settleTypes("arrow", [fieldOf("int64")], batchesOf(...columns), { loose: "all" });
  expect(readdirSync(path.join(dataDir, "spool"))).toEqual([]);
  const found: unknown[] = [];
  for await (const batch of settled.batches) found.push(batch.columns[0]?.[0]);
  expect(found).toEqual(columns.flat());
});

it("C8 rejects a text too long for a sheet's cell before the first byte", async () => {
  const rows = batchesOf(["short"], ["x".repeat(32_768)]);
  await expect(settleTypes("xlsx", [fieldOf("string")], rows, {})).rejects.toThrow(
    "The column v has a value of 32768 characters",
  );
});

const MIB = 1024 * 1024;
const BATCHES = 300;
const LAST = BATCHES - 1;

it.each<[format: SettledFormat, type: FieldType, value: (row: number) => WireValue]>([
  ["xlsx", "string", (row) => `a name ${row}`],
  ["arrow", "string", (row) => `${"x".repeat(500)}${row}`],
  ["xlsx", "decimal", (row) => `${row}.25`],
  ["xlsx", "json", (row) => ({ id: row, tags: ["a", "b"] })],
  ["xlsx", "array", (row) => [row, row + 1, row + 2]],
  ["xlsx", "binary", (row) => Buffer.from(`bytes ${row}`).toString("base64")],
  ["xlsx", "interval", (row) => `${row} days`],
  ["xlsx", "other", (row) => (row % 2 === 0 ? row : `${row}`)],
  ["arrow", "int64", (row) => String(9_000_000_000_000_000_000n + BigInt(row))],
  ["arrow", "float64", (row) => row + 0.5],
  ["parquet", "int64", (row) => row],
  ["parquet", "string", (row) => `a name ${row}`],
])("C8 waits for the end of %s with %s values in less than 48 MiB of memory", async (format, type, value) => {
  const before = memoryInUse().retained;
  let peak = 0;
  async function* batches(): AsyncGenerator<Batch, void> {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      yield { rowCount: 2048, columns: [Array.from({ length: 2048 }, (_, row) => value(batch * 2048 + row))] };
      if (batch % 60 === 59) peak = Math.max(peak, memoryInUse().retained - before);
    }
  }
  const settled = await settleTypes(format, [fieldOf(type)], batches(), { loose: "all" });
  peak = Math.max(peak, memoryInUse().retained - before);
  let rows = 0;
  let last: WireValue | undefined;
  for await (const batch of settled.batches) {
    rows += batch.rowCount;
    last = batch.columns[0]?.at(-1);
  }
  expect([rows, last]).toEqual([BATCHES * 2048, value(LAST * 2048 + 2047)]);
  expect(peak).toBeLessThan(48 * MIB);
});
