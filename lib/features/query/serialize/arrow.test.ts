import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { arrow } from "./arrow";
import { byteStream } from "./byte-stream";

const FIELDS: Field[] = [
  { name: "n", type: "int32", dbType: "INTEGER" },
  { name: "big", type: "int64", dbType: "BIGINT" },
  { name: "x", type: "float64", dbType: "DOUBLE" },
  { name: "price", type: "decimal", dbType: "DECIMAL(10,2)" },
  { name: "ok", type: "boolean", dbType: "BOOLEAN" },
  { name: "bytes", type: "binary", dbType: "BLOB" },
  { name: "at", type: "timestamp", dbType: "TIMESTAMP" },
  { name: "tags", type: "array", dbType: "VARCHAR[]" },
];
const BATCHES: Batch[] = [
  {
    rowCount: 2,
    columns: [
      [1, null],
      ["9223372036854775807", -5],
      ["NaN", 1.5],
      ["10.20", null],
      [true, false],
      ["/wA=", null],
      ["2026-11-21T10:00:00.000001", null],
      [["a", "b"], null],
    ],
  },
  { rowCount: 1, columns: [[3], [0], ["-Infinity"], ["0.01"], [null], [""], ["infinity"], [[]]] },
];

async function read(batches: Batch[], limit: number | null = null, fields = FIELDS) {
  const stream = byteStream(
    (async function* () {
      yield* batches;
    })(),
    arrow(fields),
    limit,
    () => undefined,
  );
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return tableFromIPC(bytes);
}

it("returns every value exactly to an Arrow reader, batch by batch", async () => {
  const table = await read(BATCHES);
  const rows = table.toArray().map((row) => row.toJSON());
  expect(rows.map(({ bytes, ...rest }) => ({ ...rest, bytes: bytes && [...(bytes as Uint8Array)] }))).toEqual([
    {
      n: 1,
      big: 9223372036854775807n,
      x: Number.NaN,
      price: "10.20",
      ok: true,
      bytes: [255, 0],
      at: "2026-11-21T10:00:00.000001",
      tags: '["a","b"]',
    },
    { n: null, big: -5n, x: 1.5, price: null, ok: false, bytes: null, at: null, tags: null },
    { n: 3, big: 0n, x: Number.NEGATIVE_INFINITY, price: "0.01", ok: null, bytes: [], at: "infinity", tags: "[]" },
  ]);
});

it("has the database's type names in its fields", async () => {
  const table = await read(BATCHES);
  expect(table.schema.fields[3]?.metadata).toEqual(
    new Map([
      ["type", "decimal"],
      ["dbType", "DECIMAL(10,2)"],
    ]),
  );
});

it("has a complete stream with schema for an empty result", async () => {
  const table = await read([]);
  expect([table.numRows, table.schema.fields.map(({ name }) => name)]).toEqual([0, FIELDS.map(({ name }) => name)]);
});

it("returns columns of any length, with nulls anywhere and any script, unchanged", async () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.constantFrom("\ud83d", "\ude00", "é", ""));
  const fields = FIELDS.filter(({ name }) => ["n", "big", "x", "ok", "bytes", "at"].includes(name));
  const row = fc.tuple(
    fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    fc.option(fc.double({ noNaN: true })),
    fc.option(fc.boolean()),
    fc.option(fc.uint8Array({ maxLength: 20 })),
    fc.option(text),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), async (rows) => {
      const columns: WireValue[][] = fields.map((_, index) =>
        rows.map((values) => {
          const value = values[index] ?? null;
          if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
          return typeof value === "bigint" ? String(value) : value;
        }),
      );
      const table = await read([{ rowCount: rows.length, columns }], null, fields);
      const found = table.toArray().map((each) => Object.values(each.toJSON()));
      // Lone surrogates have no encoding in UTF-8.
      const wanted = rows.map((values) =>
        values.map((value) => (typeof value === "string" ? value.toWellFormed() : value)),
      );
      expect(found).toEqual(wanted);
    }),
    // Each run reads up to 240 values of six types; more runs find nothing else and are slow on a busy machine.
    { numRuns: 40 },
  );
});

it("cuts at a limit within a batch", async () => {
  expect((await read(BATCHES, 1)).numRows).toBe(1);
  expect((await read(BATCHES, 3)).numRows).toBe(3);
});
