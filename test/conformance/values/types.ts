/*
 * Column types with boundary values, one list for each driver. A value is the SQL that writes it. If the database's own
 * client prints it differently from the product, the displayed form follows it.
 */

/** SQL, or SQL and the displayed text: text unchanged, any other value as its JSON text. */
export type ValueCase = string | readonly [sql: string, shown: string];

export type TypeCase = {
  type: string;
  values: readonly ValueCase[];
  /** The SQL by which the database's client prints the displayed text of `v`; default: its own text of the value. */
  text?: string;
  /** Form of the comparison with the client's output: as text, or as a JSON value. */
  form?: "text" | "json";
  /** The type cannot be sorted. */
  isUnordered?: true;
  /** Statements to run before the table is created. */
  before?: readonly string[];
  /** Not sent as `params`, or not the texts that match: the displayed text is not the engine's own syntax. */
  isNotBound?: true | RegExp;
};

const TEXTS = [
  "''",
  "'a'",
  "'grüße 😀'",
  "' x '",
  "'NULL'",
  "'null'",
  "'12'",
  "'a,b;\"c\"'",
  "'{\"a\":1}'",
  `'${"long ".repeat(1000)}'`,
];

/** The same as displayed values. */
export const TEXTS_SHOWN: readonly string[] = [...TEXTS.map((sql) => sql.slice(1, -1)), "\uFFFE"];

/** Times before year 1 and after 9999, in ISO 8601. */
const FAR_TIMES = /^[+-]\d{6}-|^0000-/;
const ISO_STAMP = "replace(v::text, ' ', 'T')";
const ISO_INSTANT = "regexp_replace(replace(v::text, ' ', 'T'), '\\+00$', 'Z')";
const JSON_OF = "to_json(v)::text";

export const POSTGRES: readonly TypeCase[] = [
  { type: "boolean", values: ["true", "false"] },
  { type: "smallint", values: ["-32768", "32767", "0"] },
  { type: "integer", values: ["-2147483648", "2147483647", "0"] },
  {
    type: "bigint",
    values: [
      "'-9223372036854775808'",
      "9223372036854775807",
      "9007199254740991",
      "9007199254740992",
      "9007199254740993",
      "-9007199254740993",
    ],
  },
  {
    type: "numeric",
    values: [
      "'NaN'",
      "'Infinity'",
      "'-Infinity'",
      "18446744073709551615",
      "0.1",
      "1.10",
      "12345678901234567890.123456789000",
      "-0.000000000000000000001",
      "1e100",
    ],
  },
  { type: "numeric(20,2)", values: ["0", "1.5", "-123456789012345678.99"] },
  {
    type: "real",
    values: ["'NaN'", "'Infinity'", "'-Infinity'", "0.1", "3.4028235e38", "1e-45", "16777216", "-0.5"],
    form: "json",
  },
  {
    type: "double precision",
    values: [
      "'NaN'",
      "'Infinity'",
      "'-Infinity'",
      "0.1",
      "1.7976931348623157e308",
      "5e-324",
      "0.30000000000000004",
      "9007199254740993",
    ],
    form: "json",
  },
  { type: "money", values: ["'$1,234.56'", "'-$0.01'", "'$92,233,720,368,547,758.07'"] },
  { type: "text", values: [...TEXTS, "'\uFFFE'", "E'\\u0001'"] },
  { type: "character varying(20)", values: ["''", "'a'", "'Zebra'", "'zebra'"] },
  { type: "character(4)", values: ["'ab'", "''", "'abcd'"], text: "rpad(v, 4)" },
  { type: "name", values: ["'a'", "'B c'"] },
  { type: "bytea", values: ["'\\x'", "'\\x00ff10'", "'\\x61'"], text: "encode(v, 'base64')", isNotBound: true },
  {
    type: "date",
    values: [
      "'2026-10-31'",
      "'0001-01-01'",
      "'9999-12-31'",
      ["'0044-03-15 BC'", "-000043-03-15"],
      ["'0001-12-31 BC'", "0000-12-31"],
      ["'12345-01-02'", "+012345-01-02"],
      "'infinity'",
      "'-infinity'",
    ],
    isNotBound: FAR_TIMES,
  },
  { type: "time", values: ["'00:00'", "'23:59:59.999999'", "'24:00:00'", "'12:34:56.5'"] },
  {
    type: "time with time zone",
    values: [
      ["'12:34:56+02'", "12:34:56+02:00"],
      "'12:34:56-05:30'",
      ["'00:00:00.000001+00'", "00:00:00.000001+00:00"],
    ],
  },
  {
    type: "timestamp",
    values: [
      "'2026-10-31 01:02:03.000001'",
      "'2026-03-29 02:30:00'",
      ["'0001-01-01 00:00:00 BC'", "0000-01-01T00:00:00"],
      ["'12345-01-02 00:00:00'", "+012345-01-02T00:00:00"],
      "'9999-12-31 23:59:59.999999'",
      "'infinity'",
    ],
    text: ISO_STAMP,
    isNotBound: FAR_TIMES,
  },
  {
    type: "timestamp(3) with time zone",
    values: [
      "'2026-10-31 12:00:00.123+02'",
      ["'0044-03-15 12:00:00+00 BC'", "-000043-03-15T12:00:00Z"],
      "'-infinity'",
      "'infinity'",
      "'2026-10-25 00:30:00+00'",
    ],
    text: ISO_INSTANT,
    isNotBound: FAR_TIMES,
  },
  {
    type: "interval",
    values: [
      "'1 year 2 mons 3 days 04:05:06.7'",
      "'-1 day +02:00'",
      "'0'",
      "'24:00:00'",
      "'1 mon'",
      "'-178000000 years'",
    ],
  },
  {
    type: "mood",
    before: ["drop type if exists mood cascade", "create type mood as enum ('sad', 'happy', 'a')"],
    values: ["'sad'", "'happy'", "'a'"],
  },
  { type: "uuid", values: ["'01234567-89ab-cdef-0123-456789abcdef'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"] },
  {
    type: "inet",
    values: ["'10.0.0.1/24'", "'10.0.0.1'", "'::1'"],
    text: "case when masklen(v) = case family(v) when 4 then 32 else 128 end then host(v) else v::text end",
  },
  { type: "cidr", values: ["'10.0.0.0/24'", "'10.1.0.0/16'"] },
  { type: "macaddr", values: ["'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'"] },
  { type: "macaddr8", values: ["'08:00:2b:01:02:03:04:05'"] },
  { type: "bit(3)", values: ["b'101'", "b'000'", "b'111'"] },
  { type: "bit varying", values: ["b'1'", "b'10101'", "b''"] },
  { type: "tsvector", values: ["'a:1 b:2'", "''", "'it''s'"] },
  { type: "tsquery", values: ["'a & b'", "'c'"] },
  { type: "int4range", values: ["'[1,5)'", "'empty'", "'(,3)'"] },
  { type: "tstzrange", values: ["'[2026-01-01 00:00:00+00,2026-01-02 00:00:00+00)'"] },
  { type: "int4multirange", values: ["'{[1,5),[7,9)}'", "'{}'"] },
  { type: "integer[]", values: ["'{1,NULL,3}'", "'{}'", "'{{1,2},{3,4}}'"], text: JSON_OF, form: "json" },
  {
    type: "text[]",
    values: [`array['a,b', 'c"d', null, 'NULL', '', 'e\\f', '{}']`, "array['x']"],
    text: JSON_OF,
    form: "json",
  },
  {
    type: "bigint[]",
    values: [["array[9007199254740993]", '["9007199254740993"]'], "array[1]"],
    text: JSON_OF,
    form: "json",
  },
  { type: "numeric[]", values: [["array[1.50]", '["1.50"]']], text: JSON_OF, form: "json" },
  {
    type: "date[]",
    values: [["array[date '0044-03-15 BC']", '["-000043-03-15"]'], "array[date '2026-01-01']"],
    text: JSON_OF,
    form: "json",
    isNotBound: true,
  },
  {
    type: "jsonb",
    values: [
      `'{"a": [1, 2.50, null], "b": {"c": true}}'`,
      ["'\"x\"'", "x"],
      ["'12'", "12"],
      ["'\"12\"'", "12"],
      "'[]'",
      "'{}'",
      ["'9007199254740993'", "9007199254740993"],
      [`'{"big": 9007199254740993}'`, '{"big":"9007199254740993"}'],
      "'true'",
    ],
    form: "json",
    isNotBound: true,
  },
  {
    type: "json",
    values: [
      `'{"a": [1, 2.50, null]}'`,
      ["'\"x\"'", "x"],
      "'[1]'",
      [`'{"big": 9007199254740993}'`, '{"big":"9007199254740993"}'],
    ],
    form: "json",
    isUnordered: true,
    isNotBound: true,
  },
  { type: "xml", values: ["'<a/>'", "'<b>x</b>'"], isUnordered: true },
  { type: "point", values: ["'(1,2)'", "'(-0.5,1e+30)'"], isUnordered: true },
  { type: "box", values: ["'(2,2),(1,1)'"], isUnordered: true },
  { type: "polygon", values: ["'((0,0),(1,1),(2,0))'"], isUnordered: true },
  { type: "circle", values: ["'<(1,2),3>'"], isUnordered: true },
  { type: "oid", values: ["0", "4294967295"] },
  { type: "xid8", values: ["'1'", "'18446744073709551615'"] },
  { type: "pg_lsn", values: ["'16/B374D848'", "'0/0'"] },
  {
    type: "mail",
    before: ["drop domain if exists mail cascade", "create domain mail as text check (value like '%@%')"],
    values: ["'a@b.c'", "'B@b.c'"],
  },
  {
    type: "pair",
    before: ["drop type if exists pair cascade", "create type pair as (a integer, b text)"],
    values: ["row(1, 'x')", "row(1, 'a b')"],
  },
];

const M_BASE64 = "replace(to_base64(v), '\\n', '')";

export const MARIADB: readonly TypeCase[] = [
  { type: "tinyint", values: ["-128", "127", "0"] },
  { type: "tinyint unsigned", values: ["0", "255"] },
  { type: "smallint", values: ["-32768", "32767"] },
  { type: "mediumint unsigned", values: ["0", "16777215"] },
  { type: "int unsigned", values: ["0", "4294967295"] },
  { type: "bigint", values: ["-9223372036854775808", "9223372036854775807", "9007199254740993", "9007199254740992"] },
  { type: "bigint unsigned", values: ["0", "18446744073709551615", "9223372036854775808", "9007199254740991"] },
  {
    type: "decimal(65,30)",
    values: [
      "0",
      "1.5",
      "12345678901234567890123456789012345.123456789012345678901234567890",
      "-0.000000000000000000000000000001",
    ],
  },
  { type: "decimal(10,2)", values: ["1.50", "-99999999.99"] },
  {
    type: "float",
    values: [
      "0",
      "0.5",
      ["0.1", "0.1"],
      ["3.40282e38", "3.40282e+38"],
      ["16777217", "16777216"],
      ["1.17549435e-38", "1.1754944e-38"],
      ["1234567.8", "1234567.8"],
    ],
    isNotBound: true,
  },
  {
    type: "double",
    values: [
      "0",
      "0.1",
      ["1.7976931348623157e308", "1.7976931348623157e+308"],
      "0.30000000000000004",
      ["5e-324", "5e-324"],
    ],
  },
  { type: "boolean", values: ["0", "1"] },
  { type: "year", values: ["2026", "1901", "2155", ["0000", "0"]], isNotBound: true },
  {
    type: "bit(10)",
    values: [
      ["b'1000000001'", "1000000001"],
      ["b'0'", "0000000000"],
      ["b'1111111111'", "1111111111"],
    ],
    isNotBound: true,
  },
  { type: "enum('sad','happy','a')", values: ["'sad'", "'happy'", "'a'"] },
  { type: "set('x','y','b')", values: ["'x'", "'x,y'", "'b'", "''"] },
  { type: "date", values: ["'2026-10-31'", "'0001-01-01'", "'9999-12-31'", "'0000-00-00'"] },
  {
    type: "datetime(6)",
    values: [
      ["'2026-10-31 01:02:03.000001'", "2026-10-31T01:02:03.000001"],
      ["'2026-03-29 02:30:00'", "2026-03-29T02:30:00"],
      ["'0000-00-00 00:00:00'", "0000-00-00T00:00:00"],
      ["'9999-12-31 23:59:59.999999'", "9999-12-31T23:59:59.999999"],
    ],
  },
  {
    type: "timestamp(3) null",
    values: [
      ["'2026-10-31 10:00:00.123'", "2026-10-31T10:00:00.123Z"],
      ["'1970-01-01 00:00:01'", "1970-01-01T00:00:01Z"],
      ["'2038-01-19 03:14:07.999'", "2038-01-19T03:14:07.999Z"],
    ],
    isNotBound: true,
  },
  {
    type: "time(6)",
    values: [
      ["'12:34:56.5'", "12:34:56.5"],
      ["'-838:59:59.999999'", "-838:59:59.999999"],
      ["'838:59:59'", "838:59:59"],
      ["'00:00:00'", "00:00:00"],
    ],
  },
  { type: "varchar(5000) character set utf8mb4", values: TEXTS },
  { type: "char(4)", values: ["'ab'", "''", "'abcd'"] },
  { type: "longtext", values: [...TEXTS, "'\uFFFE'", ["'a\\0b'", "a\0b"]] },
  { type: "varchar(20) character set latin1", values: ["'grüße'", "'a'"] },
  { type: "blob", values: ["x'00ff10'", "x''", "x'61'"], text: M_BASE64, isNotBound: true },
  { type: "varbinary(20)", values: ["x'00ff10'", "x'00'"], text: M_BASE64, isNotBound: true },
  { type: "binary(4)", values: ["x'61'", "x'00000000'"], text: M_BASE64, isNotBound: true },
  {
    type: "json",
    values: [
      `'{"a": [1, 2.50, null]}'`,
      ["'\"x\"'", "x"],
      ["'12'", "12"],
      "'[]'",
      [`'{"big": 9007199254740993}'`, '{"big":"9007199254740993"}'],
    ],
    form: "json",
    isNotBound: true,
  },
  { type: "uuid", values: ["'01234567-89ab-cdef-8123-456789abcdef'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"] },
  { type: "inet6", values: ["'::1'", "'2001:db8::ff00:42:8329'"] },
  { type: "inet4", values: ["'10.0.0.1'", "'9.0.0.1'"] },
  { type: "point", values: ["point(1, 2)"], text: M_BASE64, isUnordered: true, isNotBound: true },
];

export const SQLITE: readonly TypeCase[] = [
  { type: "integer", values: ["0", "9223372036854775807", "-9223372036854775808", "9007199254740993", "'abc'", "1.5"] },
  {
    type: "real",
    values: [
      "0.1",
      ["9e999", "Infinity"],
      ["-9e999", "-Infinity"],
      ["1.7976931348623157e308", "1.7976931348623157e+308"],
      ["5e-324", "5e-324"],
      ["2", "2"],
    ],
  },
  { type: "text", values: [...TEXTS, "'\uFFFE'", ["'a' || char(0) || 'b'", "a\0b"], ["x'00ff'", "AP8="]] },
  { type: "blob", values: [["x'00ff10'", "AP8Q"], ["x''", ""], "'text'", "5", "0.5"], isNotBound: true },
  { type: "", values: ["1", "'1'", ["x'31'", "MQ=="], "1.5", "'b'"], isNotBound: true },
  { type: "numeric", values: ["1", "0.5", "'x'", "'2026-10-31'"] },
  { type: "datetime", values: ["'2026-10-31 01:02:03.000001'", "'2026-10-31T01:02:03Z'", "1780000000"] },
  { type: "boolean", values: ["0", "1"] },
  { type: "text collate nocase", values: ["'a'", "'B'", "'b'", "'A'"] },
];

const D_STAMP = "replace(cast(v as varchar), ' ', 'T')";
const D_INSTANT = "regexp_replace(replace(cast(v as varchar), ' ', 'T'), '\\+00$', 'Z')";

export const DUCKDB: readonly TypeCase[] = [
  { type: "BOOLEAN", values: ["true", "false"] },
  { type: "TINYINT", values: ["-128", "127"] },
  { type: "UTINYINT", values: ["0", "255"] },
  { type: "SMALLINT", values: ["-32768", "32767"] },
  { type: "USMALLINT", values: ["65535"] },
  { type: "INTEGER", values: ["-2147483648", "2147483647"] },
  { type: "UINTEGER", values: ["4294967295", "0"] },
  { type: "BIGINT", values: ["-9223372036854775808", "9223372036854775807", "9007199254740993", "9007199254740991"] },
  { type: "UBIGINT", values: ["18446744073709551615", "9223372036854775808", "0"] },
  {
    type: "HUGEINT",
    values: ["170141183460469231731687303715884105727", "-170141183460469231731687303715884105727", "1"],
  },
  { type: "UHUGEINT", values: ["340282366920938463463374607431768211455", "0"] },
  { type: "BIGNUM", values: ["'123456789012345678901234567890123456789012345'", "0"] },
  {
    type: "FLOAT",
    values: [
      ["'nan'", "NaN"],
      ["'inf'", "Infinity"],
      ["'-inf'", "-Infinity"],
      "0.1",
      ["3.4028235e38", "3.4028235e+38"],
      ["1e-45", "1e-45"],
      ["16777216", "16777216"],
    ],
  },
  {
    type: "DOUBLE",
    values: [
      ["'nan'", "NaN"],
      ["'inf'", "Infinity"],
      ["'-inf'", "-Infinity"],
      "0.1",
      ["1.7976931348623157e308", "1.7976931348623157e+308"],
      ["5e-324", "5e-324"],
      ["0.30000000000000004", "0.30000000000000004"],
    ],
  },
  { type: "DECIMAL(38,10)", values: ["0", "1234567890123456789012345678.1234567890", "-0.0000000001"] },
  { type: "DECIMAL(10,2)", values: ["1.5", "-99999999.99"] },
  { type: "VARCHAR", values: [...TEXTS, "'\uFFFE'", ["'a' || chr(0) || 'b'", "a\0b"]] },
  {
    type: "BLOB",
    values: ["'\\x00\\xFF\\x10'::blob", "''::blob", "'a'::blob"],
    text: "to_base64(v)",
    isNotBound: true,
  },
  { type: "BIT", values: ["'101'", "'0'", "'1'"] },
  { type: "UUID", values: ["'01234567-89ab-cdef-0123-456789abcdef'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"] },
  {
    type: "DATE",
    values: [
      "'2026-10-31'",
      ["'0044-03-15 (BC)'", "-000043-03-15"],
      ["'12345-01-02'", "+012345-01-02"],
      "'infinity'",
      "'-infinity'",
      "'0001-01-01'",
      "'9999-12-31'",
    ],
    isNotBound: FAR_TIMES,
  },
  { type: "TIME", values: ["'00:00:00'", "'23:59:59.999999'", "'12:34:56.5'"] },
  { type: "TIME_NS", values: ["'12:34:56.123456789'", "'00:00:00'"] },
  { type: "TIME WITH TIME ZONE", values: [["'12:34:56+02'", "12:34:56+02:00"], "'12:34:56-05:30'"] },
  {
    type: "TIMESTAMP",
    values: [
      "'2026-10-31 01:02:03.000001'",
      ["'0044-03-15 (BC) 12:00:00'", "-000043-03-15T12:00:00"],
      "'2026-03-29 02:30:00'",
      "'infinity'",
      "'-infinity'",
    ],
    text: D_STAMP,
    isNotBound: FAR_TIMES,
  },
  { type: "TIMESTAMP_S", values: ["'2026-10-31 01:02:03'"], text: D_STAMP },
  { type: "TIMESTAMP_MS", values: ["'2026-10-31 01:02:03.123'"], text: D_STAMP },
  {
    type: "TIMESTAMP_NS",
    values: ["'2026-10-31 01:02:03.123456789'", "'2026-10-31 01:02:03.123456788'", "'1970-01-01 00:00:00'"],
    text: D_STAMP,
  },
  {
    type: "TIMESTAMP WITH TIME ZONE",
    values: ["'2026-10-31 12:00:00+02'", "'2026-10-25 00:30:00+00'", "'infinity'"],
    text: D_INSTANT,
    isNotBound: FAR_TIMES,
  },
  {
    type: "INTERVAL",
    values: [
      ["'1 year 2 months 3 days 04:05:06.7'", "P1Y2M3DT4H5M6.7S"],
      ["'-1 day 2 hours'", "P-1DT2H"],
      ["'0 seconds'", "PT0S"],
      ["'1 month'", "P1M"],
    ],
    isNotBound: true,
  },
  {
    type: "mood",
    before: ["drop type if exists mood cascade", "create type mood as enum ('sad', 'happy', 'a')"],
    values: ["'sad'", "'happy'", "'a'"],
  },
  { type: "INTEGER[]", values: ["[1, null, 3]", "[]", "[2]"], text: JSON_OF, form: "json", isNotBound: true },
  {
    type: "VARCHAR[]",
    values: [`['a,b', 'c"d', null, 'NULL', '', ' x ']`, "['x']"],
    text: JSON_OF,
    form: "json",
    isNotBound: true,
  },
  {
    type: "BIGINT[]",
    values: [["[9007199254740993, 1, null]", '["9007199254740993",1,null]'], "[9007199254740991]"],
    form: "json",
    isNotBound: true,
  },
  {
    type: "STRUCT(a UBIGINT, b HUGEINT, c DECIMAL(20,2), d DOUBLE[])",
    values: [
      [
        "{'a': 18446744073709551615, 'b': 170141183460469231731687303715884105727, 'c': 1.50, 'd': [0.1]}",
        '{"a":"18446744073709551615","b":"170141183460469231731687303715884105727","c":"1.50","d":[0.1]}',
      ],
      ["{'a': 1, 'b': 1, 'c': 1, 'd': []}", '{"a":1,"b":"1","c":"1.00","d":[]}'],
    ],
    form: "json",
    isNotBound: true,
  },
  {
    type: "MAP(VARCHAR, BIGINT[])",
    values: [["map {'k': [9007199254740993, -5]}", '{"k":["9007199254740993",-5]}']],
    form: "json",
    isNotBound: true,
  },
  { type: "INTEGER[3]", values: ["[1, 2, 3]"], text: JSON_OF, form: "json", isNotBound: true },
  {
    type: "STRUCT(a INTEGER, b VARCHAR)",
    values: ["{'a': 1, 'b': 'x, y'}", "{'a': null, 'b': ''}"],
    text: JSON_OF,
    form: "json",
    isNotBound: true,
  },
  {
    type: "MAP(VARCHAR, INTEGER)",
    values: ["map {'k, 1': 1, 'b': 2}", "map {}"],
    text: JSON_OF,
    form: "json",
    isNotBound: true,
  },
  {
    type: "MAP(INTEGER, VARCHAR)",
    values: [["map {1: 'x'}", '[{"key":1,"value":"x"}]']],
    form: "json",
    isNotBound: true,
  },
  {
    type: "UNION(num INTEGER, str VARCHAR)",
    values: [
      ["1", '{"num":1}'],
      ["'x'", '{"str":"x"}'],
    ],
    form: "json",
    isUnordered: true,
    isNotBound: true,
  },
  {
    type: "JSON",
    values: [
      `'{"a": [1, 2.50, null]}'`,
      ["'\"x\"'", "x"],
      ["'12'", "12"],
      "'[]'",
      [`'{"big": 9007199254740993}'`, '{"big":"9007199254740993"}'],
    ],
    form: "json",
    isNotBound: true,
  },
];

export const CLICKHOUSE: readonly TypeCase[] = [
  { type: "UInt8", values: ["0", "255"] },
  { type: "Int64", values: ["-9223372036854775808", "9223372036854775807", "9007199254740993"] },
  { type: "UInt64", values: ["18446744073709551615", "0"] },
  { type: "Int256", values: ["'57896044618658097711785492504343953926634992332820282019728792003956564819967'", "0"] },
  { type: "Float32", values: [["nan", "NaN"], ["inf", "Infinity"], ["-inf", "-Infinity"], "0.1", "0.5"] },
  {
    type: "Float64",
    values: [["nan", "NaN"], ["inf", "Infinity"], ["-inf", "-Infinity"], "0.1", "0.30000000000000004"],
  },
  {
    type: "Decimal(38, 10)",
    values: ["'1234567890123456789012345678.1234567891'", "0", "'1.50'"],
  },
  { type: "String", values: [...TEXTS, ["'a\\0b'", "a\0b"]] },
  { type: "FixedString(3)", values: ["'abc'", "'abd'"] },
  { type: "Date", values: ["'2026-10-31'", "'1970-01-01'"] },
  { type: "Date32", values: ["'1900-01-01'", "'2299-12-31'"] },
  { type: "DateTime('UTC')", values: [["'2026-10-31 01:02:03'", "2026-10-31T01:02:03Z"]], isNotBound: true },
  {
    type: "DateTime64(9, 'Europe/Paris')",
    values: [
      ["toDateTime64('2026-10-25 00:30:00.123456789', 9, 'UTC')", "2026-10-25T00:30:00.123456789Z"],
      ["toDateTime64('2026-10-25 01:30:00.123456789', 9, 'UTC')", "2026-10-25T01:30:00.123456789Z"],
    ],
    isNotBound: true,
  },
  { type: "Enum8('sad' = 1, 'happy' = 2, 'a' = 3)", values: ["'sad'", "'happy'", "'a'"] },
  { type: "UUID", values: ["'01234567-89ab-cdef-0123-456789abcdef'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"] },
  { type: "IPv4", values: ["'10.0.0.1'", "'9.0.0.1'"] },
  { type: "Bool", values: ["true", "false"] },
  {
    type: "Array(String)",
    values: [
      ["['a', 'b']", '["a","b"]'],
      ["[]", "[]"],
    ],
    form: "json",
    isNotBound: true,
  },
  {
    type: "Map(String, UInt64)",
    values: [["map('a', 1)", '{"a":1}']],
    form: "json",
    isUnordered: true,
    isNotBound: true,
  },
];
