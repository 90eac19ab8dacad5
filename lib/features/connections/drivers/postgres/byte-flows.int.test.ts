import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ExtractBatch, LoadRequest, QueryableSource } from "@/lib/features/connections/data-source";
import { ANY, begin, type FlowSource, type FlowSubject, startFlowSubject } from "@/test/conformance/drivers/flow-steps";
import { ask } from "@/test/conformance/drivers/subjects";

/* Rows of PostgreSQL that pass to a destination as bytes: it stores the same as from their values. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Columns of the source, each with its values; null follows them. */
const COLUMNS: readonly (readonly [name: string, type: string, values: readonly string[]])[] = [
  ["small", "smallint", ["1", "-32768"]],
  ["big", "bigint", ["9223372036854775807", "-9223372036854775808", "0"]],
  ["amount", "numeric(30,10)", ["12345678901234567890.1234567891", "-0.0000000001", "0"]],
  ["free", "numeric", ["1.10", "0.000000000000000001", "100"]],
  ["ratio", "double precision", ["0.1", "-1e-300", "1e21", "'Infinity'", "'NaN'", "'-0'"]],
  ["single", "real", ["0.1", "1e10"]],
  ["flag", "boolean", ["true", "false"]],
  ["word", "text", ["''", "'a b'", "e'\\\\N'", "e'\\\\.'", "e'tab\\t line\\n return\\r back\\\\ \"quoted\"'", "'grüße 😀'", "chr(127)", "'NULL'", "repeat('x', 70000)"]],
  ["short", "varchar(20)", ["'abc'", "' '"]],
  ["blank", "char(4)", ["'ab'"]],
  ["day", "date", ["'1999-12-31'", "'infinity'", "'0044-03-15 BC'"]],
  ["local", "timestamp", ["'2026-10-31 01:02:03.000001'", "'-infinity'", "'12026-01-01'"]],
  ["moment", "timestamptz", ["'2026-10-31 10:00:00.123+02'", "'infinity'", "'0001-01-01 00:00:00+00 BC'"]],
  ["clock", "time", ["'23:59:59.999999'", "'00:00'"]],
  ["zoned", "timetz", ["'12:00+02'"]],
  ["span", "interval", ["'1 year 2 days 03:04:05.6'", "'-1 month'"]],
  ["doc", "jsonb", ["'{\"a\": [1.10, 18446744073709551615, \"\\\\u00e9\\\\n\"]}'", "'null'", "'\"text\"'"]],
  ["own", "json", ["' {\"b\":1,  \"b\":2}'", "'0.10000000000000000001'"]],
  ["uid", "uuid", ["'01234567-89ab-cdef-0123-456789abcdef'"]],
  ["bytes", "bytea", ["'\\x00ff5c'", "''"]],
  ["list", "integer[]", ["'{1,NULL,3}'", "'{}'", "'{{1,2},{3,4}}'"]],
  ["words", "text[]", ["array['a,b', '\"', null, 'NULL', '{', e'\\\\']"]],
  ["place", "point", ["'(1,2.5)'"]],
]; // biome-ignore format: one column a line
/** DuckDB would reject these both ways; the sign of a zero is lost among values. */
const BEYOND_DUCKDB = new Set(["'{{1,2},{3,4}}'", "0.000000000000000001", "'-0'"]);
const FOR_DUCKDB = COLUMNS.map(([name, type, values]) => {
  return [name, type, values.filter((value) => !BEYOND_DUCKDB.has(value))] as const;
});

type Open = FlowSource & QueryableSource;
const subjects: FlowSubject[] = [];
let pg: Open;
let duck: Open;
beforeAll(async () => {
  for (const name of ["postgres", "duckdb"] as const) {
    const subject = await startFlowSubject(name);
    if (!subject) throw new Error("These tests need PostgreSQL.");
    subjects.push(subject);
  }
  [pg, duck] = (await Promise.all(subjects.map((each) => each.open(false)))) as [Open, Open];
});
afterAll(async () => {
  await Promise.all([pg?.close(), duck?.close()]);
  await Promise.all(subjects.map((each) => each.stop()));
});

const run = (source: Open, query: string) => ask(source, query, { readOnly: false });

let tables = 0;

/** Creates a table with a row for each value. @returns its name and number of rows */
async function makeSource(columns = COLUMNS): Promise<{ name: string; count: number }> {
  tables += 1;
  const name = `given_${tables}`;
  await run(pg, `create table ${name} (id integer, ${columns.map(([each, type]) => `${each} ${type}`).join(", ")})`);
  const count = Math.max(...columns.map(([, , values]) => values.length)) + 1;
  const rows = Array.from({ length: count }, (_, row) =>
    [row, ...columns.map(([, type, values]) => `(${values[row] ?? "null"})::${type}`)].join(", "),
  );
  await run(pg, `insert into ${name} values (${rows.join("), (")})`);
  return { name, count };
}

type Copy = Partial<LoadRequest> & { asBytes: boolean; batchRows?: number; rejectsMax?: number };

async function copy(
  from: string,
  to: Open,
  table: string,
  { asBytes, batchRows = 1000, rejectsMax = 0, ...load }: Copy,
) {
  const { fields, batches } = await pg.extract({
    ...{ entity: { name: from }, cursorField: null, primaryKey: [], from: null, batchRows, signal: ANY, asBytes },
  });
  const loading = await begin(to, { table: { name: table }, columns: fields, load: table, ...load });
  const rejected: unknown[] = [];
  let isRaw = true;
  const all: ExtractBatch[] = [];
  for await (const batch of batches) all.push(batch);
  for (const [index, batch] of all.entries()) {
    isRaw &&= batch.raw !== undefined;
    const following = all[index + 1] ?? null;
    rejected.push(...(await loading.write(batch, { position: batch.checkpoint, rejectsMax, following })).rejected);
  }
  await loading.finish();
  return { isRaw, rejected };
}

/** Returns a table as the database prints it. */
const textsOf = async (source: Open, table: string) =>
  (await run(source, `select ${source === pg ? "t::text" : "cast(t as varchar)"} from ${table} t order by id`)).rows;

describe("rows as bytes", () => {
  it("store in PostgreSQL what the source has", async () => {
    const { name, count } = await makeSource();
    for (const asBytes of [true, false]) {
      await run(pg, `create table into_${asBytes} (like ${name})`);
      expect((await copy(name, pg, `into_${asBytes}`, { asBytes })).isRaw).toBe(asBytes);
    }
    const expected = await textsOf(pg, name);
    expect(expected).toHaveLength(count);
    expect(await textsOf(pg, "into_true")).toEqual(expected);
  });

  it.each([
    ["PostgreSQL", () => pg, COLUMNS],
    ["DuckDB", () => duck, FOR_DUCKDB],
  ] as const)("store in a created table of %s what values do", async (_, to, columns) => {
    const { name } = await makeSource(columns);
    for (const asBytes of [true, false]) await copy(name, to(), `${name}_${asBytes}`, { asBytes, batchRows: 1 });
    expect(await textsOf(to(), `${name}_true`)).toEqual(await textsOf(to(), `${name}_false`));
  });

  it.each([
    ["PostgreSQL", () => pg],
    ["DuckDB", () => duck],
  ] as const)("store in text columns of %s what values do", async (_, to) => {
    const { name } = await makeSource();
    const texts = COLUMNS.map(([column]) => `${column} ${column === "place" ? "varchar" : "text"}`).join(", ");
    for (const asBytes of [true, false]) {
      await run(to(), `create table ${name}_${asBytes} (id integer, ${texts})`);
      await copy(name, to(), `${name}_${asBytes}`, { asBytes });
    }
    expect(await textsOf(to(), `${name}_true`)).toEqual(await textsOf(to(), `${name}_false`));
  });

  it.each([
    ["PostgreSQL", () => pg],
    ["DuckDB", () => duck],
  ] as const)("are rejected by %s with row and column, and the others are written", async (_, to) => {
    const { name } = await makeSource([["amount", "numeric", ["1.25", "1.250", "3", "1.5"]]]);
    await run(to(), `create table ${name}_to (id integer, amount numeric(10,1))`);
    const { rejected } = await copy(name, to(), `${name}_to`, { asBytes: true, rejectsMax: 10 });
    expect(rejected).toEqual([
      expect.objectContaining({ row: 0, column: "amount" }),
      expect.objectContaining({ row: 1, column: "amount" }),
    ]);
    expect((await run(to(), `select id from ${name}_to order by id`)).rows).toEqual([[2], [3], [4]]);
  });

  it("are rejected by a whole number of DuckDB beyond 64 bits, if they have a fraction", async () => {
    const { name } = await makeSource([["amount", "numeric", ["1.5", "2.0", "12345678901234567890"]]]);
    await run(duck, `create table ${name}_to (id integer, amount bignum)`);
    const { rejected } = await copy(name, duck, `${name}_to`, { asBytes: true, rejectsMax: 10 });
    expect(rejected).toEqual([expect.objectContaining({ row: 0, column: "amount" })]);
    expect((await run(duck, `select id from ${name}_to order by id`)).rows).toEqual([[1], [2], [3]]);
  });

  it.each([
    ["PostgreSQL", () => pg],
    ["DuckDB", () => duck],
  ] as const)("that break a rule of a table in %s are rejected", async (_, to) => {
    const { name } = await makeSource([["amount", "integer", ["1", "-2", "3"]]]);
    await run(to(), `create table ${name}_to (id integer, amount integer check (amount > 0))`);
    const { rejected } = await copy(name, to(), `${name}_to`, { asBytes: true, rejectsMax: 10 });
    expect(rejected).toEqual([expect.objectContaining({ row: 1 })]);
    expect((await run(to(), `select id from ${name}_to order by id`)).rows).toEqual([[0], [2], [3]]);
  });

  it.each([
    ["PostgreSQL", () => pg],
    ["DuckDB", () => duck],
  ] as const)("upsert into %s with the last row of a key, and reject a row without one", async (_, to) => {
    const { name } = await makeSource([
      ["code", "bigint", ["1", "2", "1"]],
      ["word", "text", ["'first'", "'second'", "'third'"]],
    ]);
    const load = { mode: "upsert" as const, primaryKey: ["code"] };
    await run(to(), `create table ${name}_to (id integer, code bigint primary key, word varchar)`);
    await run(to(), `insert into ${name}_to values (9, 2, 'old'), (8, 3, 'kept')`);
    const { rejected } = await copy(name, to(), `${name}_to`, { asBytes: true, rejectsMax: 10, ...load });
    expect(rejected).toEqual([expect.objectContaining({ row: 3, column: "code" })]);
    expect((await run(to(), `select code, word from ${name}_to order by code`)).rows).toEqual([
      [1, "third"],
      [2, "second"],
      [3, "kept"],
    ]);
  });
});
