import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FieldType, WireValue } from "@/lib/base/values/fields";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import { ask, type Subject, type SubjectName, startSubject } from "./subjects";

/** An expression, the type of its column, and the returned value. The values follow each database's manual. */
type Case = [expression: string, type: FieldType, value: WireValue];

const POSTGRES: Case[] = [
  ["true", "boolean", true],
  ["32767::int2", "int32", 32_767],
  ["'-2147483648'::int4", "int32", -2_147_483_648],
  ["9007199254740991::int8", "int64", 9_007_199_254_740_991],
  ["9007199254740992::int8", "int64", "9007199254740992"],
  ["'-9223372036854775808'::int8", "int64", "-9223372036854775808"],
  ["4294967295::oid", "int64", 4_294_967_295],
  ["0.1::float4", "float64", 0.1],
  ["0.1::float8 + 0.2::float8", "float64", 0.300_000_000_000_000_04],
  ["'NaN'::float8", "float64", "NaN"],
  ["'-Infinity'::float4", "float64", "-Infinity"],
  ["1e308::float8", "float64", 1e308],
  ["'NaN'::numeric", "decimal", "NaN"],
  ["12345678901234567890.123456789000::numeric", "decimal", "12345678901234567890.123456789000"],
  ["1.50::numeric(10,2)", "decimal", "1.50"],
  ["'$1,234.56'::money", "other", "$1,234.56"],
  ["'grüße 😀'::text", "string", "grüße 😀"],
  ["'ab'::char(4)", "string", "ab  "],
  ["'\\x00ff10'::bytea", "binary", "AP8Q"],
  ["''::bytea", "binary", ""],
  ["date '2026-10-31'", "date", "2026-10-31"],
  ["date '0001-01-01'", "date", "0001-01-01"],
  ["date '0044-03-15 BC'", "date", "-000043-03-15"],
  ["date '0001-12-31 BC'", "date", "0000-12-31"],
  ["date '12345-01-02'", "date", "+012345-01-02"],
  ["'infinity'::date", "date", "infinity"],
  ["time '12:34:56.789'", "time", "12:34:56.789"],
  ["time '24:00:00'", "time", "24:00:00"],
  ["'12:34:56+02'::timetz", "time", "12:34:56+02:00"],
  ["'12:34:56-05:30'::timetz", "time", "12:34:56-05:30"],
  ["timestamp '2026-10-31 01:02:03.000001'", "timestamp", "2026-10-31T01:02:03.000001"],
  ["timestamp '0001-01-01 00:00:00 BC'", "timestamp", "0000-01-01T00:00:00"],
  ["'2026-10-31 12:00:00+02'::timestamptz", "timestamptz", "2026-10-31T10:00:00Z"],
  ["'0044-03-15 12:00:00+00 BC'::timestamptz", "timestamptz", "-000043-03-15T12:00:00Z"],
  ["'-infinity'::timestamptz", "timestamptz", "-infinity"],
  ["interval '1 year 2 mons 3 days 04:05:06.7'", "interval", "P1Y2M3DT4H5M6.7S"],
  ["interval '-1 day +02:00'", "interval", "P-1DT2H"],
  ["interval '0'", "interval", "PT0S"],
  ['\'{"a": [1, 2.50, null], "big": 9007199254740993}\'::json', "json", { a: [1, 2.5, null], big: "9007199254740993" }],
  ["'\"x\"'::jsonb", "json", "x"],
  ["'null'::jsonb", "json", null],
  ["array[1, null, 3]", "array", [1, null, 3]],
  [
    "array[array['a,b', 'c\"d'], array['{}', 'e\\f']]",
    "array",
    [
      ["a,b", 'c"d'],
      ["{}", "e\\f"],
    ],
  ],
  ["array['NULL', null, '']", "array", ["NULL", null, ""]],
  ["'[2:3]={5,6}'::int4[]", "array", [5, 6]],
  ["'{}'::text[]", "array", []],
  ["array[9007199254740993]", "array", ["9007199254740993"]],
  ["array[date '0044-03-15 BC']", "array", ["-000043-03-15"]],
  ["int4range(1, 5)", "other", "[1,5)"],
  ["numrange(null, 1.5)", "other", "(,1.5)"],
  ["point(1, 2)", "other", "(1,2)"],
  ["row(1, 'a')", "other", "(1,a)"],
  ["'01234567-89ab-cdef-0123-456789abcdef'::uuid", "string", "01234567-89ab-cdef-0123-456789abcdef"],
  ["'10.0.0.1/24'::inet", "string", "10.0.0.1/24"],
  ["b'101'", "string", "101"],
  ["'<a/>'::xml", "string", "<a/>"],
  ["'happy'::mood", "string", "happy"],
  ["array['sad'::mood]", "array", ["sad"]],
  ["'a@b.c'::mail", "string", "a@b.c"],
  ["null", "string", null],
];

const MARIADB: Case[] = [
  ["cast(-1 as int)", "int32", -1],
  ["9007199254740993", "int64", "9007199254740993"],
  ["18446744073709551615", "int64", "18446744073709551615"],
  ["cast(1.50 as decimal(10,2))", "decimal", "1.50"],
  ["cast('12345678901234567890.1234567890' as decimal(30,10))", "decimal", "12345678901234567890.1234567890"],
  ["1e308", "float64", 1e308],
  ["0.1e0 + 0.2e0", "float64", 0.300_000_000_000_000_04],
  ["'grüße 😀'", "string", "grüße 😀"],
  ["x'00ff10'", "binary", "AP8Q"],
  ["date '2026-10-31'", "date", "2026-10-31"],
  ["cast('2026-10-31 01:02:03.000001' as datetime(6))", "timestamp", "2026-10-31T01:02:03.000001"],
  ["cast('12:34:56.5' as time(3))", "time", "12:34:56.5"],
  ["time '-838:59:59'", "time", "-838:59:59"],
  ["tiny_unsigned from every_type", "int32", 255],
  ["small_one from every_type", "int32", -32_768],
  ["medium_one from every_type", "int32", 8_388_607],
  ["int_unsigned from every_type", "int64", 4_294_967_295],
  ["big_unsigned from every_type", "int64", "18446744073709551615"],
  ["a_bool from every_type", "int32", 1],
  ["a_double from every_type", "float64", 0.1],
  ["a_float from every_type", "float64", 0.1],
  ["zero_date from every_type", "date", "0000-00-00"],
  ["zero_stamp from every_type", "timestamp", "0000-00-00T00:00:00"],
  ["first_year from every_type", "timestamp", "0001-01-01T00:00:00.5"],
  ["an_instant from every_type", "timestamptz", "2026-10-31T10:00:00.123Z"],
  ["a_year from every_type", "int32", 2026],
  ["ten_bits from every_type", "string", "1000000001"],
  ["an_enum from every_type", "string", "b"],
  ["a_set from every_type", "string", "x,y"],
  ["a_json from every_type", "json", { big: "9007199254740993" }],
  ["a_blob from every_type", "binary", "AP8="],
  ["a_uuid from every_type", "string", "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d"],
  ["null", "string", null],
]; // biome-ignore format: one case a line

const MARIADB_TABLE = [
  `create table every_type (
    tiny_unsigned tinyint unsigned, small_one smallint, medium_one mediumint, int_unsigned int unsigned,
    big_unsigned bigint unsigned, a_bool boolean, a_double double, a_float float, zero_date date, zero_stamp datetime,
    first_year datetime(6), an_instant timestamp(3) null, a_year year, ten_bits bit(10), an_enum enum('a', 'b'),
    a_set set('x', 'y'), a_json json, a_blob blob, a_uuid uuid)`,
  `insert ignore into every_type values (255, -32768, 8388607, 4294967295, 18446744073709551615, true, 0.1, 0.1,
    '0000-00-00', '0000-00-00 00:00:00', '0001-01-01 00:00:00.5', '2026-10-31 10:00:00.123', 2026, b'1000000001', 'b',
    'x,y', '{"big": 9007199254740993}', x'00ff', 'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d')`,
];

const SQLITE: Case[] = [
  ["1", "int64", 1],
  ["9007199254740993", "int64", "9007199254740993"],
  ["-9223372036854775808", "int64", "-9223372036854775808"],
  ["0.1", "float64", 0.1],
  ["1e999", "float64", "Infinity"],
  ["-1e999", "float64", "-Infinity"],
  ["'grüße 😀'", "string", "grüße 😀"],
  ["x'00ff10'", "binary", "AP8Q"],
  ["date('2026-10-31')", "string", "2026-10-31"],
  ["json('{\"a\":1}')", "string", '{"a":1}'],
  ["null", "string", null],
];

const DUCKDB: Case[] = [
  ["9007199254740993::bigint", "int64", "9007199254740993"],
  ["1.50::decimal(10,2)", "decimal", "1.50"],
  ["'nan'::double", "float64", "NaN"],
  ["timestamp '2026-10-31 01:02:03.000001'", "timestamp", "2026-10-31T01:02:03.000001"],
  ["[1, null]", "array", [1, null]],
  ["'\\x00\\xFF\\x10'::blob", "binary", "AP8Q"],
];

const TRINO: Case[] = [
  ["true", "boolean", true],
  ["tinyint '127'", "int32", 127],
  ["smallint '-32768'", "int32", -32_768],
  ["-2147483648", "int32", -2_147_483_648],
  ["bigint '9007199254740991'", "int64", 9_007_199_254_740_991],
  ["bigint '9007199254740992'", "int64", "9007199254740992"],
  ["bigint '-9223372036854775808'", "int64", "-9223372036854775808"],
  ["real '0.1'", "float64", 0.1],
  ["0.1e0 + 0.2e0", "float64", 0.300_000_000_000_000_04],
  ["nan()", "float64", "NaN"],
  ["-infinity()", "float64", "-Infinity"],
  ["1e308", "float64", 1e308],
  ["12345678901234567890.123456789000", "decimal", "12345678901234567890.123456789000"],
  ["cast(1.5 as decimal(10,2))", "decimal", "1.50"],
  ["'grüße 😀'", "string", "grüße 😀"],
  ["cast('ab' as char(4))", "string", "ab  "],
  ["U&'\\2603'", "string", "☃"],
  ["x'00ff10'", "binary", "AP8Q"],
  ["x''", "binary", ""],
  ["date '2026-10-31'", "date", "2026-10-31"],
  ["date '0001-01-01'", "date", "0001-01-01"],
  ["date '-0043-03-15'", "date", "-000043-03-15"],
  ["date '12345-01-02'", "date", "+012345-01-02"],
  ["time '12:34:56.789'", "time", "12:34:56.789"],
  ["time '12:34:56.123456789012'", "time", "12:34:56.123456789012"],
  ["time '12:34:56.100 -05:30'", "time", "12:34:56.1-05:30"],
  ["timestamp '2026-10-31 01:02:03'", "timestamp", "2026-10-31T01:02:03"],
  ["timestamp '2026-10-31 01:02:03.000000000001'", "timestamp", "2026-10-31T01:02:03.000000000001"],
  ["timestamp '-0043-03-15 12:00:00'", "timestamp", "-000043-03-15T12:00:00"],
  ["timestamp '2026-10-31 12:00:00 +02:00'", "timestamptz", "2026-10-31T10:00:00Z"],
  ["timestamp '2026-07-01 12:00:00.123456789012 Europe/Paris'", "timestamptz", "2026-07-01T10:00:00.123456789012Z"],
  ["timestamp '2026-01-01 00:30:00.5 Asia/Kolkata'", "timestamptz", "2025-12-31T19:00:00.5Z"],
  ["timestamp '2026-10-25 02:30:00 Europe/Paris'", "timestamptz", "2026-10-25T00:30:00Z"],
  ["timestamp '2026-10-31 12:00:00 UTC'", "timestamptz", "2026-10-31T12:00:00Z"],
  ["interval '2 03:04:05.678' day to second", "interval", "P2DT3H4M5.678S"],
  ["interval '-1' day", "interval", "P-1D"],
  ["interval '0' second", "interval", "PT0S"],
  ["interval '14' month", "interval", "P1Y2M"],
  ['json \'{"a": [1, 2.50, null], "big": 9007199254740993}\'', "json", { a: [1, 2.5, null], big: "9007199254740993" }],
  ["json '\"x\"'", "json", "x"],
  ["json 'null'", "json", null],
  ["array[1, null, 3]", "array", [1, null, 3]],
  ["array[array['a,b'], null]", "array", [["a,b"], null]],
  ["array[bigint '9007199254740993']", "array", ["9007199254740993"]],
  ["array[timestamp '2026-01-01 00:00:00 +01:00']", "array", ["2025-12-31T23:00:00Z"]],
  ["map(array['a', 'b'], array[bigint '9007199254740993', null])", "json", { a: "9007199254740993", b: null }],
  ["row(1, 'a', date '12345-01-02')", "json", [1, "a", "+012345-01-02"]],
  ["cast(row(1, 2.5) as row(a bigint, b decimal(3,2)))", "json", { a: 1, b: "2.50" }],
  ["uuid '01234567-89ab-cdef-0123-456789abcdef'", "string", "01234567-89ab-cdef-0123-456789abcdef"],
  ["ipaddress '10.0.0.1'", "string", "10.0.0.1"],
  ["null", "string", null],
];

const TABLES: [name: SubjectName, cases: Case[], prepare: string[]][] = [
  [
    "postgres",
    POSTGRES,
    ["create type mood as enum ('sad', 'happy')", "create domain mail as text check (value like '%@%')"],
  ],
  ["mariadb", MARIADB, MARIADB_TABLE],
  ["sqlite", SQLITE, []],
  ["duckdb", DUCKDB, []],
  ["trino", TRINO, []],
];

describe.each(TABLES)("types of %s", (name, cases, prepare) => {
  let subject: Subject | null = null;
  let source: QueryableSource;

  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    source = await subject.open(false);
    for (const statement of prepare) await ask(source, statement, { readOnly: false });
  }, 120_000);
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  test("are returned as docs/develop/api.md says, each with its neutral type", async (context) => {
    if (!subject) return context.skip();
    const found: Case[] = [];
    for (const [expression] of cases) {
      const { fields, rows } = await ask(source, `select ${expression}`);
      found.push([expression, fields[0]?.type ?? "other", rows[0]?.[0] ?? null]);
    }
    expect(found).toEqual(cases);
  });

  test("include those of a result's columns, even without rows", async (context) => {
    if (!subject) return context.skip();
    const { fields, rows } = await ask(
      source,
      "select 'x' as a, 1 as b where 1 = 0".replace("where", FROM_NOTHING[name]),
    );
    expect(rows).toEqual([]);
    expect(fields.map((field) => field.name)).toEqual(["a", "b"]);
  });
});

/** MariaDB requires a table before WHERE. */
const FROM_NOTHING: Record<SubjectName, string> = {
  postgres: "where",
  mariadb: "from dual where",
  sqlite: "where",
  duckdb: "where",
  mongodb: "where",
  trino: "where",
};
