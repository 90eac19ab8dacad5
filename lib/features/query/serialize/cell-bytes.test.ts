// @module-tag heavy
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Batch, Field } from "@/lib/base/values/fields";
import { byteBatch } from "@/lib/base/values/row-bytes";
import { formOf } from "@/lib/features/connections/drivers/postgres/cell-forms";
import { decoderOf } from "@/lib/features/connections/drivers/postgres/decode";
import { BUILT_IN_TYPES } from "@/lib/features/connections/drivers/postgres/types";
import { arrow } from "./arrow";
import { byteStream } from "./byte-stream";
import { csv } from "./csv";
import { ndjson } from "./ndjson";
import { parquet } from "./parquet";
import { settleTypes } from "./settle";

/** Texts as PostgreSQL prints them, by the number of their type. */
const TEXTS: Readonly<Record<number, readonly string[]>> = {
  16: ["t", "f"],
  17: ["\\x00ff", "\\x"],
  20: ["0", "-1", "999999999999999", "9007199254740991", "9007199254740993", "-9223372036854775808"],
  23: ["0", "-2147483648"],
  25: ["", "plain", 'say "hi"', "a,b", "two\nlines", "\r", "a\tb\b\f\x01\x1f\x7f", "back\\slash", "é \u{1f389} \u2028", ";", "'"],
  114: ['{ "b": 1, "a": [1, 2.50] }', '{"a":1,"a":2}', "null", '"\\u0041"'],
  701: ["0", "-0", "0.1", "1e+20", "1e-07", "1.7976931348623157e+308", "NaN", "-Infinity", "123456789012345", "0.0001"],
  1082: ["2026-01-01", "0044-03-15 BC", "12026-01-01", "infinity"],
  1114: ["2026-01-01 00:00:00", "2026-01-01 00:00:00.123456", "0044-03-15 00:00:00 BC", "-infinity", "12026-01-01 00:00:00"],
  1184: ["2026-01-01 00:00:00+00", "2026-01-01 00:00:00.5+00", "0044-03-15 12:00:00+00 BC", "infinity"],
  1700: ["1.50", "NaN", "-Infinity", "12345678901234567890.123"],
  1007: ["{1,NULL,3}", "{}"],
  2950: ["01234567-89ab-cdef-0123-456789abcdef"],
  3802: [
    "{}", "[]", "[1]", "[1, 2]", "null", "12", '"x"', "true", '{"a": {"b": [true, false, null]}}', '{"a": 2.50, "b": 2.0, "c": -0.5}',
    '{"a": 0.0000001, "b": 0.01, "c": 100000000000000000000000}', '{"big": 9007199254740993}', '{"9": 1, "10": 2, "a": 3}', '{"b": 1, "10": 2}',
    '["10", "1a"]', '{"q": "say \\"hi\\", \\\\ \\n \\u0001"}', '{"": ":", "é": "\u{1f389}"}', "[0.125000000000000000]", '{"1 a": "1"}',
    "[123456789012345, 1234567890123456, 0.10, -12, -0.0, 0]", '{"a:": "1:2", "x": ["1"]}',
  ],
}; // biome-ignore format: one line for each type

function rowOf(cells: readonly (string | Buffer | null)[]): Buffer {
  const body = cells.flatMap((cell) => {
    const bytes = cell === null ? null : Buffer.from(cell);
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes?.length ?? -1);
    return bytes ? [length, bytes] : [length];
  });
  const size = body.reduce((sum, piece) => sum + piece.length, 0);
  const head = Buffer.from("D\0\0\0\0\0\0");
  head.writeInt32BE(size + 6, 1);
  head.writeInt16BE(cells.length, 5);
  return Buffer.concat([head, ...body]);
}

const typeOf = (oid: number) => BUILT_IN_TYPES.get(oid);
const columnOf = (oid: number) => ({ form: formOf(oid, typeOf, "17.2"), decode: decoderOf(oid, typeOf) });
const fieldOf = (oid: number): Field => ({
  name: `c "${oid}"`,
  dbType: String(oid),
  type: typeOf(oid)?.type ?? "other",
});

function batchOf(oids: readonly number[], rows: readonly (readonly (string | Buffer | null)[])[]): Batch {
  return byteBatch(Buffer.concat(rows.map(rowOf)), rows.length, oids.map(columnOf));
}

async function* each(...batches: Batch[]): AsyncGenerator<Batch> {
  yield* batches;
}

/** Returns the same rows without their bytes. */
const valuesOf = ({ rowCount, columns }: Batch): Batch => ({ rowCount, columns });
const write = (format: typeof csv, fields: Field[], batch: Batch, limit: number | null = null) =>
  text(byteStream(each(batch), format(fields), limit, () => undefined));

describe.each(Object.entries({ csv, ndjson }))("rows as bytes in %s", (_, format) => {
  it.each(Object.keys(TEXTS).map(Number))("are written like the values of type %i", async (oid) => {
    const rows = [...(TEXTS[oid] ?? []), null].map((cell) => [cell]);
    const batch = batchOf([oid], rows);
    expect(await write(format, [fieldOf(oid)], batch)).toBe(await write(format, [fieldOf(oid)], valuesOf(batch)));
  });

  it("are written in the order of their columns, up to a limit", async () => {
    const oids = [25, 20, 3802, 16];
    const batch = batchOf(oids, [
      ["a,b", "1", '{"a": 1}', "t"],
      [null, null, null, null],
      ["x", "2", "[]", "f"],
    ]);
    for (const limit of [null, 2]) {
      const expected = await write(format, oids.map(fieldOf), valuesOf(batch), limit);
      expect(await write(format, oids.map(fieldOf), batch, limit)).toBe(expected);
    }
  });

  it("are written as values where a text is not UTF-8", async () => {
    const batch = batchOf([25, 25], [[Buffer.from([0x61, 0xff]), Buffer.from([0xc3, 0x28])]]);
    const written = await buffer(byteStream(each(batch), format([fieldOf(25), fieldOf(25)]), null, () => undefined));
    expect(written.toString()).toContain("a\ufffd");
    expect(Buffer.from(written.toString())).toEqual(written);
  });

  it("fail where a cell is longer than its row", async () => {
    const row = rowOf(["abc"]);
    row.writeInt32BE(1000, 7);
    const batch = byteBatch(row, 1, [columnOf(25)]);
    await expect(write(format, [fieldOf(25)], batch)).rejects.toThrow("Invalid row.");
  });
});

describe("rows as bytes in Arrow", () => {
  const stream = (fields: Field[], batch: Batch) =>
    buffer(byteStream(each(batch), arrow(fields), null, () => undefined));

  it.each(Object.keys(TEXTS).map(Number))("are written like the values of type %i", async (oid) => {
    const rows = [...(TEXTS[oid] ?? []), null].map((cell) => [cell, cell]);
    const batch = batchOf([oid, oid], rows);
    // The second column is text, as one whose values do not all fit its type.
    const fields = [fieldOf(oid), { ...fieldOf(oid), name: "text", type: "string" as const }];
    expect(await stream(fields, batch)).toEqual(await stream(fields, valuesOf(batch)));
  });

  it("are read as the doubles that JavaScript reads", async () => {
    let seed = 1;
    const rows = Array.from({ length: 5000 }, () => {
      seed = (seed * 16807) % 2147483647;
      return [String(seed / 10 ** (seed % 17))];
    });
    const batch = batchOf([701], rows);
    expect(await stream([fieldOf(701)], batch)).toEqual(await stream([fieldOf(701)], valuesOf(batch)));
  });

  it("are decoded where two texts of a column share a character", async () => {
    const batch = batchOf([25], [[Buffer.from([0xc3])], [Buffer.from([0xa9])]]);
    expect(await stream([fieldOf(25)], batch)).toEqual(await stream([fieldOf(25)], valuesOf(batch)));
  });
});

describe("rows as bytes in Parquet", () => {
  const EXTRA: Readonly<Record<string, readonly string[]>> = {
    "numeric(10,2)": ["0.00", "-0.01", "99999999.99", "-12.34"],
    "numeric(30,4)": ["1.0000", "-12345678901234567890.1234"],
    "timestamp with time zone": ["1969-12-31 23:59:59.999999+00", "2024-02-29 12:00:00+00", "9999-12-31 23:59:59.1+00", "0044-03-15 12:00:00+00 BC"],
    "timestamp without time zone": ["2000-01-01 00:00:00", "0001-01-01 00:00:00.000001"],
  }; // biome-ignore format: one line for each type
  let duck: DuckDBInstance;
  beforeAll(async () => {
    duck = await DuckDBInstance.create(":memory:");
  });
  afterAll(() => {
    duck.closeSync();
  });

  /** Returns the rows as DuckDB reads them, after the types are settled as the query path settles them. */
  async function rowsIn(batch: Batch, fields: Field[]): Promise<unknown> {
    const loose = { loose: ["decimal", "timestamp", "timestamptz"] as const };
    const settled = await settleTypes("parquet", fields, each(batch), loose);
    const bytes = await buffer(byteStream(settled.batches, parquet(settled.fields), null, () => undefined));
    const folder = mkdtempSync(join(tmpdir(), "parquet-bytes-"));
    const file = join(folder, "rows.parquet");
    writeFileSync(file, bytes);
    const connection = await duck.connect();
    try {
      await connection.run("set timezone = 'UTC'");
      const types = await connection.runAndReadAll(`describe select * from '${file}'`);
      const rows = await connection.runAndReadAll(`select columns(*)::varchar from '${file}'`);
      return { types: types.getRowsJson(), rows: rows.getRowsJson() };
    } finally {
      connection.closeSync();
      rmSync(folder, { recursive: true });
    }
  }

  const OIDS: Readonly<Record<string, number>> = {
    "numeric(10,2)": 1700,
    "numeric(30,4)": 1700,
    "timestamp with time zone": 1184,
    "timestamp without time zone": 1114,
  };
  const cases: [string, number, readonly string[]][] = [
    ...Object.entries(TEXTS).map(([oid, texts]): [string, number, readonly string[]] => [
      typeOf(Number(oid))?.name ?? oid,
      Number(oid),
      texts,
    ]),
    ...Object.entries(EXTRA).map(([name, texts]): [string, number, readonly string[]] => [
      name,
      OIDS[name] ?? 0,
      texts,
    ]),
  ];

  it.each(cases)("are written like the values of %s", async (dbType, oid, texts) => {
    const fields = [{ ...fieldOf(oid), dbType }];
    for (const rows of [texts, [null, ...texts, null]]) {
      const batch = batchOf(
        [oid],
        rows.map((cell) => [cell]),
      );
      expect(await rowsIn(batch, fields)).toEqual(await rowsIn(valuesOf(batch), fields));
    }
  });
});

describe("rows as bytes of random jsonb", () => {
  it("are written like their values", async () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed % below;
    };
    const texts = ["a", "é", '\\"', "\\\\", "1", "x,y", ": ", "\\n", "\u{1f389}", "", "{", "]"];
    const string = () => `"${Array.from({ length: random(4) }, () => texts[random(texts.length)]).join("")}"`;
    const number = () => ["0", "-3", "1.50", "12.000", "0.001", "-0.25", "99999999999999999", "7"][random(8)] ?? "0";
    const value = (depth: number): string => {
      const kind = random(depth > 3 ? 4 : 6);
      if (kind === 0) return string();
      if (kind <= 2) return number();
      if (kind === 3) return ["true", "false", "null"][random(3)] ?? "";
      const items = Array.from({ length: random(4) }, () => value(depth + 1));
      if (kind === 4) return `[${items.join(", ")}]`;
      return `{${items.map((item, index) => `"${"k".repeat(index + 1)}${random(3)}": ${item}`).join(", ")}}`;
    };
    const batch = batchOf(
      [3802],
      Array.from({ length: 3000 }, () => [`[${value(0)}, ${value(0)}]`]),
    );
    for (const format of [csv, ndjson]) {
      expect(await write(format, [fieldOf(3802)], batch)).toBe(await write(format, [fieldOf(3802)], valuesOf(batch)));
    }
  });
});
