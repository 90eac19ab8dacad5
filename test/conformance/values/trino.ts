import { ExactNumber } from "@/lib/base/values/exact-json";
import { trino } from "@/lib/features/connections/drivers/trino";
import { openWith } from "@/test/conformance/drivers/subjects";
import { startTrinoStandIn, type TrinoTable } from "@/test/servers/trino-stand-in";
import type { ValueSubject } from "./subjects";
import { TEXTS_SHOWN } from "./types";
import type { Depth, ValueTable } from "./ways";

/*
 * Trino: a stand-in sends boundary values in the JSON of Trino's client protocol. The displayed form of each is a
 * literal, not computed.
 */

type TrinoCase = { type: string; values: readonly (readonly [sent: unknown, shown: string])[]; form?: "json" };

const digits = (text: string) => [new ExactNumber(text), text] as const;
const same = (text: string) => [text, text] as const;

const TYPES: readonly TrinoCase[] = [
  {
    type: "boolean",
    values: [
      [true, "true"],
      [false, "false"],
    ],
  },
  { type: "tinyint", values: [digits("-128"), digits("127")] },
  { type: "smallint", values: [digits("-32768"), digits("32767")] },
  { type: "integer", values: [digits("-2147483648"), digits("2147483647"), digits("0")] },
  {
    type: "bigint",
    values: [
      digits("-9223372036854775808"),
      digits("9223372036854775807"),
      digits("9007199254740991"),
      digits("9007199254740992"),
      digits("9007199254740993"),
    ],
  },
  {
    type: "real",
    values: [[0.1, "0.1"], [3.4028235e38, "3.4028235e+38"], same("NaN"), same("Infinity"), same("-Infinity")],
  },
  {
    type: "double",
    values: [
      [0.30000000000000004, "0.30000000000000004"],
      [5e-324, "5e-324"],
      [1.7976931348623157e308, "1.7976931348623157e+308"],
      same("NaN"),
      same("Infinity"),
      same("-Infinity"),
    ],
  },
  { type: "decimal(20,2)", values: [same("0.00"), same("1.50"), same("-123456789012345678.99")] },
  {
    type: "decimal(38,18)",
    values: [same("12345678901234567890.123456789012345678"), same("-0.000000000000000001")],
  },
  { type: "varchar", values: TEXTS_SHOWN.map(same) },
  { type: "char(3)", values: [same("a  "), same("   ")] },
  { type: "uuid", values: [same("12151fd2-7586-11e9-8f9e-2a86e4085a59")] },
  { type: "ipaddress", values: [same("10.0.0.1"), same("2001:db8::1")] },
  { type: "varbinary", values: [same("AP8Q"), same("YQ=="), same("")] },
  {
    type: "date",
    values: [
      same("2026-03-01"),
      same("0001-01-01"),
      same("9999-12-31"),
      ["-0043-03-15", "-000043-03-15"],
      ["12345-01-02", "+012345-01-02"],
    ],
  },
  {
    type: "time(3)",
    values: [
      ["01:02:03.500", "01:02:03.5"],
      ["23:59:59.000", "23:59:59"],
    ],
  },
  { type: "time(12)", values: [same("00:00:00.123456789012")] },
  { type: "time(3) with time zone", values: [["10:00:00.100+02:00", "10:00:00.1+02:00"]] },
  {
    type: "timestamp(6)",
    values: [
      ["2026-01-01 00:00:00.000000", "2026-01-01T00:00:00"],
      ["9999-12-31 23:59:59.999999", "9999-12-31T23:59:59.999999"],
      ["0001-01-01 00:00:00.000001", "0001-01-01T00:00:00.000001"],
      ["-0043-03-15 12:00:00.000000", "-000043-03-15T12:00:00"],
    ],
  },
  { type: "timestamp(9)", values: [["2026-01-01 00:00:00.123456789", "2026-01-01T00:00:00.123456789"]] },
  {
    type: "timestamp(6) with time zone",
    values: [
      ["2026-07-15 12:00:00.123456 Europe/Paris", "2026-07-15T10:00:00.123456Z"],
      ["2026-10-25 03:00:00.000000 Europe/Paris", "2026-10-25T02:00:00Z"],
      ["2026-01-01 00:00:00.000000 UTC", "2026-01-01T00:00:00Z"],
      ["2026-01-01 00:00:00.000000 -03:30", "2026-01-01T03:30:00Z"],
    ],
  },
  {
    type: "interval day to second",
    values: [
      ["2 03:04:05.678", "P2DT3H4M5.678S"],
      ["-0 00:00:01.000", "PT-1S"],
      ["0 00:00:00.000", "PT0S"],
    ],
  },
  {
    type: "interval year to month",
    values: [
      ["1-2", "P1Y2M"],
      ["-1-2", "P-1Y-2M"],
    ],
  },
  {
    type: "json",
    values: [same('{"a":[1,null,"x"]}'), same("[]"), same('{"n":"9007199254740993"}'), same("1.5")],
    form: "json",
  },
  {
    type: "array(bigint)",
    values: [
      [[new ExactNumber("1"), null, new ExactNumber("9007199254740993")], '[1,null,"9007199254740993"]'],
      [[], "[]"],
    ],
    form: "json",
  },
  { type: "array(array(varchar))", values: [[[["a", null], []], '[["a",null],[]]']], form: "json" },
  {
    type: "map(varchar,decimal(10,2))",
    values: [
      [{ a: "1.50", "": null }, '{"a":"1.50","":null}'],
      [{}, "{}"],
    ],
    form: "json",
  },
  {
    type: "row(a bigint,b array(date))",
    values: [[[new ExactNumber("9007199254740993"), ["2026-03-01"]], '{"a":"9007199254740993","b":["2026-03-01"]}']],
    form: "json",
  },
];

const SAMPLE_VALUES = 2;
/** Rows of a page, so that results have several. */
const PAGE_ROWS = 5;

/** Starts the stand-in for Trino, whose tables have one column for each type. */
export async function startTrinoSubject(): Promise<ValueSubject> {
  const tables = new Map<string, TrinoTable>();
  const server = await startTrinoStandIn(tables);
  const config = { host: "127.0.0.1", port: server.port, user: "reader", catalog: "lake", schema: "shop" };
  const source = await openWith(trino, config, false);

  const makeAll = async (depth: Depth): Promise<ValueTable[]> => {
    const copies = depth === "sample" ? 2 : 3;
    const made = TYPES.map(({ type, values, form }, index) => {
      const some = values.slice(0, depth === "sample" ? SAMPLE_VALUES : values.length);
      const all = Array.from({ length: copies }, () => some).flat();
      const name = `${depth}_t${index}`;
      const cells = [...all.map(([sent]) => sent), null];
      tables.set(name, {
        columns: [["id", "bigint"], ["v", type]], // biome-ignore format: one line
        pages: pagesOf(cells.map((cell, at) => [at + 1, cell])),
      });
      const shown = new Map<number, string | null>(all.map(([, text], at) => [at + 1, text]));
      shown.set(all.length + 1, null);
      const columns = [
        { name: "id", type: "bigint" },
        { name: "v", type },
      ];
      const entity = { name, kind: "table" as const, columns };
      const table = {
        type: { type, values: [], form, isNotBound: true, isUnordered: true },
        shown,
        keyed: entity,
        keyless: entity,
        ascending: [],
        descending: [],
      } as unknown as ValueTable;
      return { table, cells };
    });
    const count = Math.max(...made.map(({ cells }) => cells.length));
    tables.set(`${depth}_wide`, {
      columns: [["id", "bigint"], ...TYPES.map(({ type }, index): [string, string] => [`c${index}`, type])],
      pages: pagesOf(Array.from({ length: count }, (_, at) => [at + 1, ...made.map(({ cells }) => cells[at] ?? null)])),
    });
    return made.map(({ table }) => table);
  };
  return {
    name: "trino",
    driver: trino,
    config,
    hasTls: false,
    dialectName: null,
    source,
    types: [],
    makeAll,
    select: (name) => `select id, v from ${name} order by id`,
    wide: async (made) => `select * from ${made[0]?.keyed.name.split("_")[0]}_wide order by id`,
    stop: async () => {
      await source.close();
      await server.stop();
    },
  } as Partial<ValueSubject> as ValueSubject;
}

function pagesOf(rows: unknown[][]): unknown[][][] {
  return Array.from({ length: Math.ceil(rows.length / PAGE_ROWS) }, (_, page) =>
    rows.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS),
  );
}
