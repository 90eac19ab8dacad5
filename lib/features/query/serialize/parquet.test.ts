// @module-tag heavy
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import type { Batch, Field } from "@/lib/base/values/fields";
import { byteStream } from "./byte-stream";
import { parquet } from "./parquet";

const FIELDS: Field[] = [
  { name: "n", type: "int32", dbType: "INTEGER" },
  { name: "big", type: "int64", dbType: "BIGINT" },
  { name: "x", type: "float64", dbType: "DOUBLE" },
  { name: "price", type: "decimal", dbType: "DECIMAL(10,2)" },
  { name: "wide", type: "decimal", dbType: "HUGEINT" },
  { name: "ok", type: "boolean", dbType: "BOOLEAN" },
  { name: "bytes", type: "binary", dbType: "BLOB" },
  { name: "day", type: "date", dbType: "DATE" },
  { name: "at", type: "timestamp", dbType: "TIMESTAMP" },
  { name: "fine", type: "timestamp", dbType: "TIMESTAMP_NS" },
  { name: "tags", type: "array", dbType: "VARCHAR[]" },
];
const BATCH: Batch = {
  rowCount: 3,
  columns: [
    [1, null, -2147483648],
    ["9223372036854775807", null, -5],
    ["NaN", null, 1.5],
    ["10.2", null, "-0.01"],
    ["12345678901234567890123", null, "-1"],
    [true, null, false],
    ["/wA=", null, ""],
    ["2026-11-21", null, "infinity"],
    ["2026-11-21T10:00:00.000001", null, "-infinity"],
    ["2026-11-21T10:00:00.000000001", null, "x"],
    [["a", "b"], null, []],
  ],
};

async function* iterate(batches: Iterable<Batch>): AsyncGenerator<Batch> {
  yield* batches;
}

function streamOf(batches: Iterable<Batch>, fields: Field[], limit: number | null = null) {
  return byteStream(iterate(batches), parquet(fields), limit, () => undefined);
}

/** Reads the file with DuckDB. */
async function read(stream: ReadableStream<Uint8Array>, sql: string): Promise<unknown[][]> {
  const folder = await mkdtemp(path.join(tmpdir(), "parquet-"));
  const file = path.join(folder, "rows.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  try {
    await writeFile(file, stream);
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(sql.replaceAll("FILE", `'${file}'`));
    connection.closeSync();
    return reader.getRowsJson();
  } finally {
    instance.closeSync();
    await rm(folder, { recursive: true });
  }
}

it("reads every type, value and null back in DuckDB", async () => {
  const types = await read(streamOf([BATCH], FIELDS), "select column_type from (describe from FILE)");
  expect(types.flat()).toEqual([
    ...["INTEGER", "BIGINT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(38,0)", "BOOLEAN", "BLOB", "DATE", "TIMESTAMP"],
    ...["VARCHAR", "VARCHAR"],
  ]);
  const rows = await read(streamOf([BATCH], FIELDS), "select columns(*)::varchar from FILE");
  expect(rows).toEqual([
    [
      ...["1", "9223372036854775807", "nan", "10.20", "12345678901234567890123", "true", "\\xFF\\x00", "2026-11-21"],
      ...["2026-11-21 10:00:00.000001", "2026-11-21T10:00:00.000000001", '["a","b"]'],
    ],
    Array(FIELDS.length).fill(null),
    ["-2147483648", "-5", "1.5", "-0.01", "-1", "false", "", "infinity", "-infinity", "x", "[]"],
  ]);
});

it("writes rows over many row groups, cut at a limit within a batch", async () => {
  const fields = FIELDS.slice(0, 2);
  const batches = Array.from({ length: 30 }, (_, each) => {
    const ids = Array.from({ length: 2000 }, (_, row) => each * 2000 + row);
    return { rowCount: 2000, columns: [ids, ids] };
  });
  const found = await read(
    streamOf(batches, fields, 59_001),
    "select count(*), sum(n), max(big), count(distinct n) from FILE",
  );
  expect(found).toEqual([["59001", String((59_000 * 59_001) / 2), "59000", "59001"]]);
  expect(await read(streamOf([], fields), "select count(*) from FILE")).toEqual([["0"]]);
});

it("ends the file at a value that its column can't hold, and names the column", async () => {
  for (const [field, value] of [
    [FIELDS[3], "0.001"],
    [FIELDS[7], "0000-00-00"],
    [FIELDS[0], "one"],
  ] as [Field, string][]) {
    const stream = streamOf([{ rowCount: 1, columns: [[value]] }], [field]);
    await expect(new Response(stream).arrayBuffer()).rejects.toThrow(`The column ${field.name} `);
  }
});
