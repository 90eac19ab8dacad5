import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import { openFile, query, takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import type { QueryableSource } from "../../data-source";

const dataDir = takeOwnDataDir();
let source: QueryableSource;

beforeAll(async () => {
  source = await openFile("values.duckdb");
});
afterAll(async () => {
  await source.close();
  dataDir.remove();
});

/** Returns the one value of `select <expression>`, and the type of its column. */
async function cellOf(expression: string, params?: unknown[]): Promise<[string | undefined, WireValue | undefined]> {
  const { fields, rows } = await query(source, `select ${expression}`, { params });
  return [fields[0]?.type, rows[0]?.[0]];
}

describe("values", () => {
  it.each<[string, string, WireValue]>([
    ["null", "int32", null],
    ["true", "boolean", true],
    ["(-128)::tinyint", "int32", -128],
    ["65535::usmallint", "int32", 65_535],
    ["(-2147483648)::int", "int32", -2_147_483_648],
    ["4294967295::uinteger", "int64", 4_294_967_295],
    ["9007199254740991", "int64", 9_007_199_254_740_991],
    ["9007199254740992", "int64", "9007199254740992"],
    ["-9007199254740991", "int64", -9_007_199_254_740_991],
    ["-9007199254740992", "int64", "-9007199254740992"],
    ["(-9223372036854775808)::bigint", "int64", "-9223372036854775808"],
    ["18446744073709551615::ubigint", "int64", "18446744073709551615"],
    ["170141183460469231731687303715884105727::hugeint", "decimal", "170141183460469231731687303715884105727"],
    ["1::hugeint", "decimal", "1"],
    ["'123456789012345678901234567890123456789012'::bignum", "decimal", "123456789012345678901234567890123456789012"],
    ["1.50::decimal(10, 2)", "decimal", "1.50"],
    ["-0.05::decimal(3, 2)", "decimal", "-0.05"],
    [
      "(-9999999999999999999999999999.9999999999)::decimal(38, 10)",
      "decimal",
      "-9999999999999999999999999999.9999999999",
    ],
    ["0.1::float", "float64", 0.1],
    ["16777217::float", "float64", 16_777_216],
    ["1.7976931348623157e308::double", "float64", 1.797_693_134_862_315_7e308],
    ["'nan'::double", "float64", "NaN"],
    ["'inf'::float", "float64", "Infinity"],
    ["'-inf'::double", "float64", "-Infinity"],
    ["'goo' || chr(0) || 'se'", "string", "goo\u0000se"],
    ["'\u{1f986}\u00e9'", "string", "\u{1f986}\u00e9"],
    ["'b'::enum('a', 'b')", "string", "b"],
    ["uuid '00000000-0000-0000-0000-00000000000A'", "string", "00000000-0000-0000-0000-00000000000a"],
    ["'0101'::bit", "string", "0101"],
    ["'\\xAA\\x00'::blob", "binary", "qgA="],
    ["''::blob", "binary", ""],
    ["date '2026-10-31'", "date", "2026-10-31"],
    ["date '0001-01-01'", "date", "0001-01-01"],
    ["date '0044-03-15 (BC)'", "date", "-000043-03-15"],
    ["date '12026-01-01'", "date", "+012026-01-01"],
    ["'infinity'::date", "date", "infinity"],
    ["time '12:34:56.000001'", "time", "12:34:56.000001"],
    ["time '24:00:00'", "time", "24:00:00"],
    ["'12:34:56.123456789'::time_ns", "time", "12:34:56.123456789"],
    ["timetz '12:00:00+02:30'", "time", "12:00:00+02:30"],
    ["timestamp '2026-10-31 12:34:56.123456'", "timestamp", "2026-10-31T12:34:56.123456"],
    ["timestamp '1969-12-31 23:59:59.999999'", "timestamp", "1969-12-31T23:59:59.999999"],
    ["timestamp_ns '2026-10-31 12:34:56.123456789'", "timestamp", "2026-10-31T12:34:56.123456789"],
    ["timestamp_ms '2026-10-31 12:34:56.123'", "timestamp", "2026-10-31T12:34:56.123"],
    ["timestamp_s '2026-10-31 12:34:56'", "timestamp", "2026-10-31T12:34:56"],
    ["timestamp '-infinity'", "timestamp", "-infinity"],
    ["timestamptz '2026-01-01 00:00:00+01'", "timestamptz", "2025-12-31T23:00:00Z"],
    ["timestamptz 'infinity'", "timestamptz", "infinity"],
    ["interval '1 year 2 months -3 days 04:05:06.7'", "interval", "P1Y2M-3DT4H5M6.7S"],
    ["[1, null, 3]", "array", [1, null, 3]],
    ["[]::int[]", "array", []],
    ["[[9007199254740993], []]", "array", [["9007199254740993"], []]],
    ["array_value(1, 2)", "array", [1, 2]],
    ["[date '2026-10-31']", "array", ["2026-10-31"]],
    ["{'a': 1, 'b': ['x'], 'c': {'d': null}}", "json", { a: 1, b: ["x"], c: { d: null } }],
    ["row(1, 'x')", "json", { column_1: 1, column_2: "x" }],
    ["map {'x': 1.5::decimal(2, 1)}", "json", { x: "1.5" }],
    ["map {1: 'a'}", "json", [{ key: 1, value: "a" }]],
    ["union_value(k := 5)", "json", { k: 5 }],
    ["5::variant", "json", 5],
    [`'{"a": 12345678901234567890, "b": [1.5, null]}'::json`, "json", { a: "12345678901234567890", b: [1.5, null] }],
    ["'null'::json", "json", null],
  ])("%s is %s %j", async (expression, type, value) => {
    expect(await cellOf(expression)).toEqual([type, value]);
  });

  it("named __proto__ are kept as values, in structs and in JSON", async () => {
    for (const expression of ["{'__proto__': 3}", `'{"__proto__": 3}'::json`]) {
      const [, value] = await cellOf(expression);
      expect(Object.entries(value as object)).toEqual([["__proto__", 3]]);
    }
  });

  it("of every DuckDB type are returned, nulls too", async () => {
    const { fields, rows } = await query(source, "select * from test_all_types()");
    expect(rows).toHaveLength(3);
    expect(fields.filter((field) => field.type === "other")).toEqual([]);
    expect(rows[2]).toEqual(fields.map(() => null));
  });

  it("are the same in every chunk of a long column with nulls and large numbers", async () => {
    const { rows } = await query(
      source,
      "select case when i % 7 = 0 then null else (i - 5000) * 2000000000000 end from range(10000) t(i)",
    );
    const expected = Array.from({ length: 10_000 }, (_, i) => {
      const exact = (BigInt(i) - 5000n) * 2_000_000_000_000n;
      if (i % 7 === 0) return null;
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : String(exact);
    });
    expect(rows.map(([value]) => value)).toEqual(expected);
  });
});

describe("columns", () => {
  it("keep the engine's names, including duplicates, and its type names", async () => {
    const { fields } = await query(source, "select 1 as a, 2::decimal(5, 2) as a, [1] as l, '{}'::json as j");
    expect(fields).toEqual([
      { name: "a", type: "int32", dbType: "INTEGER" },
      { name: "a", type: "decimal", dbType: "DECIMAL(5,2)" },
      { name: "l", type: "array", dbType: "INTEGER[]" },
      { name: "j", type: "json", dbType: "JSON" },
    ]);
  });

  it("are known for an empty result, and absent for a statement without a result", async () => {
    expect(await query(source, "select 1 as a where false")).toMatchObject({ fields: [{ name: "a" }], rows: [] });
    expect(await query(source, "create or replace table nothing (a int)")).toMatchObject({ fields: [], rows: [] });
  });

  it("can be many", async () => {
    const { fields, rows } = await query(
      source,
      `select ${Array.from({ length: 1600 }, (_, index) => `${index} as c${index}`).join(", ")}`,
    );
    expect([fields.length, rows[0]?.[1599]]).toEqual([1600, 1599]);
  });
});

describe("parameters", () => {
  it("are returned verbatim (T51)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        expect(await cellOf("$1::varchar", [text])).toEqual(["string", text]);
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, unknown[] | Record<string, unknown>, WireValue]>([
    ["? + ?", [1, 2], 3],
    ["$2 || $1", ["a", "b"], "ba"],
    ["$first || $second", { second: "b", first: "a" }, "ab"],
    ["$name", { $name: "x" }, "x"],
    ["?::date", ["2026-10-31"], "2026-10-31"],
    ["?::decimal(20, 2)", ["123456789012345678.91"], "123456789012345678.91"],
    ["?::bigint", [9_007_199_254_740_991], 9_007_199_254_740_991],
    ["?::double", [0.1], 0.1],
    ["?", [null], null],
    ["?", [true], true],
    ["list_sum(?)", [[1, 2, null]], "3"],
    ["len(?)", [[]], 0],
    ["?::struct(a int)", [{ a: 5 }], { a: 5 }],
    ["typeof(?)", ["'; drop table x; --"], "VARCHAR"],
  ])("of %s are bound: %j gives %j", async (expression, params, value) => {
    const { rows } = await query(source, `select ${expression}`, { params });
    expect(rows[0]?.[0]).toEqual(value);
  });

  it.each<[string, unknown[] | Record<string, unknown> | undefined]>([
    ["select ?", undefined],
    ["select ?", [1, 2]],
    ["select 1", [1]],
    ["select $a", { b: 1 }],
    ["select $a", { a: 1, b: 2 }],
    ["select $a", [1]],
  ])("that do not match %s (%j) are rejected", async (text, params) => {
    await expect(query(source, text, { params })).rejects.toMatchObject({ kind: "invalid_request" });
  });
});

describe("errors", () => {
  it.each([
    ["selec 1", { position: 1, line: 1, column: 1 }],
    ["select 'é',\n  nam\nfrom (select 1 as name)", { position: 15, line: 2, column: 3, candidates: ["name"] }],
    ["select * from nowhere_to_find", { position: 15, line: 1, column: 15 }],
    ["select 1 +", { position: 11, line: 1, column: 11 }],
  ])("of %s have a position", async (text, details) => {
    const failure = query(source, text);
    await expect(failure).rejects.toMatchObject({ kind: "query_failed", details });
    await expect(failure).rejects.not.toThrow(/LINE 1|exception_type|\^/);
  });

  it("suggest the names that DuckDB suggests", async () => {
    await query(source, "create or replace table products (id int, name varchar)");
    await expect(query(source, "select * from product")).rejects.toMatchObject({
      details: { candidates: ["products"] },
    });
    await expect(query(source, "select p.nme from products p")).rejects.toMatchObject({
      details: { candidates: expect.arrayContaining(["name"]) },
    });
  });

  it("suggest no tables of DuckDB itself, unless one of those was named", async () => {
    await query(source, "create or replace table products (id int, name varchar)");
    const strange = await query(source, "select * from customer").catch((error: unknown) => error);
    expect(strange).toMatchObject({ message: "Table with name customer does not exist!" });
    expect(strange).toMatchObject({ details: expect.not.objectContaining({ candidates: expect.anything() }) });
    await expect(query(source, "select * from pg_clas")).rejects.toMatchObject({
      details: { candidates: expect.arrayContaining(["pg_class"]) },
    });
  });

  it("about memory suggest a smaller query rather than blocked settings", { tags: ["long"] }, async () => {
    // A busy machine takes more than the usual time limit to fill the memory.
    const failure = query(source, "select list(range) from range(400000000)", { timeoutMs: 110_000 });
    await expect(failure).rejects.toMatchObject({
      kind: "query_failed",
      message: expect.stringMatching(/^The query exceeds 1GB of memory .*Filter earlier.*failed to allocate/),
    });
    await expect(failure).rejects.not.toThrow(/\bSET\b|Possible solutions/);
  });

  it("in the middle of a result come after its first rows", async () => {
    const { batches } = await source.query(
      { query: "select case when i < 400000 then i else error('late') end from range(600000) t(i)" },
      { readOnly: true, timeoutMs: 60_000, signal: new AbortController().signal },
    );
    let rows = 0;
    const reading = (async () => {
      for await (const batch of batches) rows += batch.rowCount;
    })();
    await expect(reading).rejects.toMatchObject({ kind: "query_failed", message: "late" });
    expect(rows).toBeGreaterThan(0);
  });
});

describe("limits of a result", () => {
  it("truncates a result before a cell over the limit (T54)", async () => {
    const text = "select i, repeat('x', case when i = 2 then 1001 else 1000 end) from range(5) t(i)";
    const cut = await query(source, text, { cellBytesMax: 1000 });
    expect([cut.rows.length, cut.isCut]).toEqual([2, true]);
    const whole = await query(source, text, { cellBytesMax: 1001 });
    expect([whole.rows.length, whole.isCut]).toEqual([5, false]);
  });

  it("reports a cell that can't be sent as an error with advice, and keeps the engine (T54)", {
    tags: ["long"],
  }, async () => {
    const text = "select repeat('x', 140000000) as huge";
    await expect(query(source, text)).rejects.toMatchObject({ kind: "query_failed", message: /substring/ });
    expect((await query(source, text, { cellBytesMax: 1000 })).isCut).toBe(true);
    expect(await cellOf("1")).toEqual(["int32", 1]);
  });

  it("sends wide rows in small batches", async () => {
    const { batches } = await source.query(
      { query: "select repeat('x', 300000) from range(50)" },
      { readOnly: true, timeoutMs: 10_000, signal: new AbortController().signal },
    );
    const sizes: number[] = [];
    for await (const batch of batches) sizes.push(batch.rowCount);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(50);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3);
  });
});

describe("the schema", () => {
  it("lists tables and views with columns, keys and sizes", async () => {
    await query(source, "create schema if not exists extra");
    await query(source, "create or replace table extra.things (id int primary key, label varchar not null, day date)");
    await query(source, "insert into extra.things select i, 'x', null from range(500) t(i)");
    await query(source, "create or replace view all_things as select id, label from extra.things");
    const entities = await source.entities(new AbortController().signal);
    expect(entities.find((entity) => entity.name === "things")).toEqual({
      name: "things",
      schema: "extra",
      kind: "table",
      rowEstimate: 500,
      columns: [
        { name: "id", type: "INTEGER", nullable: false, primaryKey: true },
        { name: "label", type: "VARCHAR", nullable: false, primaryKey: false },
        { name: "day", type: "DATE", nullable: true, primaryKey: false },
      ],
    });
    expect(entities.find((entity) => entity.name === "all_things")).toMatchObject({
      kind: "view",
      columns: [{ name: "id" }, { name: "label" }],
    });
  });

  it("returns the engine's version", async () => {
    const { version } = JSON.parse(readFileSync("node_modules/@duckdb/node-api/package.json", "utf8"));
    const tested = await source.test(new AbortController().signal);
    expect(tested.serverVersion).toBe(`DuckDB ${version.split("-")[0]}`);
  });
});
